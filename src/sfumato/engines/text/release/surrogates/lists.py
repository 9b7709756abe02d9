"""Names to draw surrogates from: small lists of common names, written for this project."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

__all__ = [
    "NEUTRAL",
    "PARTICLES",
    "PLACES",
    "STREET_WORDS",
    "TITLES",
    "Culture",
    "cultures",
    "lookup",
]


def _words(line: str) -> tuple[str, ...]:
    return tuple(line.split())


@dataclass(frozen=True, slots=True)
class Culture:
    """Common names of one culture; `female` and `male` are given names."""

    name: str
    female: tuple[str, ...]
    male: tuple[str, ...]
    family: tuple[str, ...]


# One line each for female, male and family names.
_NAMES = {
    "english": (
        "Alice Amanda Angela Anna Barbara Carol Catherine Charlotte Christine Claire Deborah Diane Dorothy Elizabeth Ellen Emily Emma Grace Hannah Helen Jane Jennifer Jessica Joan Julia Karen Laura Linda Lucy Margaret Martha Mary Michelle Nancy Olivia Patricia Rachel Rebecca Ruth Sandra Sarah Sharon Sophie Stephanie Susan Victoria Virginia",
        "Adam Alan Albert Andrew Arthur Benjamin Brian Charles Christopher Daniel David Donald Edward Eric Frank Gary George Gregory Henry Jack James Jason Jeffrey John Jonathan Joseph Joshua Keith Kenneth Kevin Lawrence Mark Matthew Michael Nathan Nicholas Oliver Patrick Paul Peter Philip Richard Robert Roger Samuel Scott Simon Stephen Steven Thomas Timothy Walter William",
        "Adams Allen Anderson Bailey Baker Barnes Bell Bennett Brooks Brown Butler Campbell Carter Clark Collins Cook Cooper Davis Edwards Evans Fisher Foster Gibson Graham Gray Green Hall Hamilton Harris Harrison Henderson Hill Howard Hughes Jackson Jenkins Johnson Jones Kelly King Lewis Marshall Martin Mason Miller Mitchell Moore Morgan Morris Murphy Nelson Palmer Parker Perry Phillips Powell Reed Reynolds Richardson Roberts Robinson Rogers Russell Sanders Scott Shaw Simpson Smith Stewart Taylor Thompson Turner Walker Ward Watson White Williams Wilson Wood Wright Young",
    ),
    "spanish": (
        "Adriana Alba Alejandra Alicia Ana Andrea Ángela Beatriz Carmen Carolina Clara Claudia Cristina Dolores Elena Esther Eva Fernanda Gabriela Gloria Inés Irene Isabel Josefa Julia Laura Lorena Lucía Luisa Marta María Mercedes Mónica Natalia Nuria Patricia Pilar Raquel Rocío Rosa Rosario Sara Silvia Sofía Susana Teresa Valentina Verónica Victoria",
        "Adrián Alberto Alejandro Alfonso Andrés Antonio Carlos César Daniel Diego Eduardo Emilio Enrique Felipe Fernando Francisco Gabriel Gonzalo Guillermo Gustavo Héctor Hugo Ignacio Iván Jaime Javier Jesús Joaquín Jorge José Juan Julio Luis Manuel Marcos Mario Martín Miguel Óscar Pablo Pedro Rafael Ramón Raúl Ricardo Roberto Rodrigo Rubén Salvador Santiago Sergio Tomás Vicente Víctor",
        "Aguilar Alonso Álvarez Blanco Cabrera Calvo Campos Cano Castillo Castro Cortés Cruz Delgado Díaz Domínguez Fernández Flores Fuentes Gallego García Garrido Gil Giménez Gómez González Guerrero Gutiérrez Hernández Herrera Iglesias Jiménez León López Lozano Marín Márquez Martín Martínez Medina Méndez Molina Morales Moreno Muñoz Navarro Núñez Ortega Ortiz Parra Peña Pérez Prieto Ramírez Ramos Reyes Rodríguez Romero Rubio Ruiz Sánchez Santos Sanz Serrano Suárez Torres Vargas Vázquez Vega Vidal",
    ),
    "german": (
        "Andrea Angelika Anja Anke Annette Barbara Birgit Brigitte Claudia Doris Elke Erika Eva Franziska Gabriele Gisela Heike Helga Hilde Ingrid Jutta Karin Katharina Katja Kerstin Lena Manuela Marlene Martina Monika Nicole Petra Renate Sabine Silke Stefanie Susanne Ulrike Ursula Ute",
        "Andreas Bernd Christian Dieter Dirk Ernst Florian Frank Friedrich Georg Gerhard Günter Hans Heinrich Heinz Helmut Holger Horst Jens Joachim Jörg Jürgen Karl Klaus Lars Lutz Manfred Martin Matthias Norbert Olaf Otto Ralf Rainer Rolf Stefan Sven Thomas Uwe Volker Werner Wilhelm Wolfgang",
        "Bauer Becker Berger Böhm Braun Busch Dietrich Engel Fischer Frank Franke Friedrich Fuchs Graf Groß Günther Haas Hahn Hartmann Heinrich Herrmann Hoffmann Hofmann Huber Jung Kaiser Keller Klein Koch Köhler König Krämer Kraus Krause Krüger Kuhn Kühn Lang Lange Lehmann Lorenz Ludwig Maier Mayer Meier Meyer Möller Müller Neumann Otto Peters Pfeiffer Pohl Richter Roth Sauer Schäfer Schmid Schmidt Schmitt Schneider Scholz Schreiber Schröder Schubert Schulte Schulz Schumacher Schuster Schwarz Seidel Simon Sommer Stein Vogel Vogt Wagner Walter Weber Weiß Werner Winkler Winter Wolf Zimmermann",
    ),
    "french": (
        "Agnès Amélie Anne Aurélie Brigitte Camille Catherine Cécile Chantal Charlotte Claire Colette Delphine Élodie Émilie Florence Françoise Geneviève Hélène Isabelle Jacqueline Jeanne Juliette Laure Louise Madeleine Manon Marguerite Marie Martine Mathilde Monique Nathalie Pauline Sandrine Simone Sophie Sylvie Thérèse Valérie",
        "Alain André Antoine Arnaud Baptiste Benoît Bernard Bruno Christophe Claude Denis Didier Émile Étienne Fabrice François Frédéric Georges Gérard Gilles Guillaume Henri Hervé Jacques Jean Julien Laurent Louis Luc Marc Marcel Mathieu Maurice Michel Nicolas Olivier Pascal Philippe Pierre Raymond René Roland Sébastien Serge Thierry Vincent Yves",
        "Bernard Bertrand Blanc Bonnet Boyer Brun Chevalier Clément David Denis Dubois Dufour Dumont Dupont Durand Faure Fontaine Fournier Garnier Gauthier Gautier Gérard Girard Guérin Henry Lambert Laurent Leclerc Lefebvre Lefèvre Legrand Lemaire Leroux Leroy Marchand Mathieu Mercier Meunier Michel Moreau Morel Morin Muller Nicolas Perrin Petit Picard Renard Renaud Richard Rivière Robin Rousseau Roussel Roux Simon Thomas Vidal Vincent",
    ),
    "italian": (
        "Alessandra Angela Anna Antonella Barbara Caterina Chiara Cristina Daniela Elena Elisa Federica Francesca Giovanna Giulia Ilaria Laura Lucia Luisa Maria Marta Michela Paola Roberta Rosa Sara Serena Silvia Simona Stefania Teresa Valentina",
        "Alberto Alessandro Andrea Angelo Antonio Bruno Carlo Claudio Davide Enrico Fabio Federico Filippo Francesco Giacomo Gianluca Giorgio Giovanni Giuseppe Lorenzo Luca Luigi Marco Mario Massimo Matteo Maurizio Michele Nicola Paolo Pietro Riccardo Roberto Salvatore Sergio Stefano Vincenzo",
        "Barbieri Bianchi Bianco Bruno Caruso Colombo Conti Costa Costantini Esposito Ferrara Ferrari Ferraro Fontana Galli Gallo Gatti Gentile Giordano Greco Grassi Leone Lombardi Longo Mancini Marchetti Mariani Marini Marino Martinelli Mazza Monti Moretti Morelli Neri Orlando Palumbo Parisi Pellegrini Ricci Rinaldi Riva Rizzo Romano Rossetti Rossi Russo Sala Santoro Serra Silvestri Testa Valentini Villa Vitale",
    ),
    "portuguese": (
        "Ana Beatriz Bruna Camila Carla Catarina Cláudia Débora Fernanda Helena Inês Isabel Joana Juliana Larissa Letícia Luciana Mafalda Margarida Maria Mariana Marta Patrícia Paula Raquel Renata Rita Sandra Sofia Sónia Tatiana Teresa Vanessa",
        "Afonso Alexandre António Bruno Caio Carlos Daniel Diogo Duarte Eduardo Fábio Felipe Fernando Francisco Gonçalo Guilherme Gustavo Henrique Hugo João Jorge José Leonardo Luís Marcelo Mateus Miguel Nuno Paulo Pedro Rafael Ricardo Rodrigo Rui Thiago Tiago Vasco Vítor",
        "Almeida Alves Andrade Araújo Azevedo Barbosa Barros Batista Borges Cardoso Carvalho Castro Coelho Correia Costa Cunha Dias Duarte Esteves Fernandes Ferreira Figueiredo Fonseca Freitas Gomes Gonçalves Henriques Lima Lopes Machado Magalhães Marques Martins Matos Melo Mendes Monteiro Moreira Moura Neves Nogueira Nunes Oliveira Pacheco Pereira Pinheiro Pinto Pires Reis Ribeiro Rocha Rodrigues Santos Silva Soares Sousa Tavares Teixeira Vieira",
    ),
    "dutch": (
        "Anke Anneke Annelies Astrid Bianca Eline Elly Esther Femke Fleur Hanneke Ingrid Janneke Johanna Judith Karin Lieke Lotte Maaike Margriet Marieke Marijke Marloes Miranda Mirjam Monique Nienke Petra Sanne Saskia Tineke Wendy Wilma",
        "Arjan Bart Bas Bram Coen Cornelis Daan Dirk Erik Frits Gerard Gerrit Hans Hendrik Henk Jaap Jan Jasper Jeroen Jeroen Johan Joost Kees Klaas Koen Lars Maarten Marcel Martijn Niels Pieter Rik Rob Ruben Ruud Sander Sjoerd Thijs Tom Willem Wim Wouter",
        "Bakker Blom Boer Bos Bosch Brouwer Dekker Dijkstra Driessen Evers Gerritsen Graaf Haan Hendriks Hermans Hoekstra Huisman Jacobs Jansen Janssen Jong Kok Koning Koster Kramer Kuijpers Kuiper Leeuwen Linden Maas Martens Meijer Mulder Peeters Peters Postma Prins Prinsen Schouten Smeets Smit Smits Timmermans Veenstra Verbeek Verhoeven Vermeulen Visser Vos Vries Wal Willems Wit Wolters",
    ),
    "polish": (
        "Agata Agnieszka Aleksandra Alicja Anna Barbara Beata Danuta Dorota Elżbieta Ewa Grażyna Halina Hanna Irena Iwona Jadwiga Joanna Jolanta Justyna Kamila Karolina Katarzyna Magdalena Małgorzata Marta Monika Natalia Paulina Renata Teresa Urszula Wanda Zofia",
        "Adam Andrzej Bartosz Bogdan Dariusz Dawid Grzegorz Henryk Jacek Jakub Janusz Jarosław Jerzy Józef Kamil Kazimierz Krzysztof Łukasz Maciej Marcin Marek Mateusz Michał Paweł Piotr Przemysław Rafał Ryszard Sławomir Stanisław Szymon Tadeusz Tomasz Wiesław Wojciech Zbigniew Zygmunt",
        "Adamczyk Baran Borkowski Chmielewski Czarnecki Dąbrowski Domański Duda Dudek Głowacki Górski Grabowski Jabłoński Jankowski Jasiński Kaczmarek Kalinowski Kamiński Kowalczyk Kowalski Kozłowski Król Krawczyk Kubiak Kucharski Lewandowski Maciejewski Malinowski Marciniak Mazur Michalski Nowak Nowakowski Ostrowski Pawlak Pawłowski Pietrzak Piotrowski Rutkowski Sawicki Sikora Sikorski Sobczak Szczepański Szewczyk Szulc Szymański Tomaszewski Urban Walczak Wieczorek Wilk Wiśniewski Witkowski Wójcik Wróbel Wysocki Zalewski Zawadzki Zieliński",
    ),
    "turkish": (
        "Ayşe Aylin Aysel Büşra Canan Çiğdem Deniz Derya Ebru Elif Emine Esra Fatma Filiz Gamze Gül Gülay Hande Hatice Hülya Kübra Leyla Meltem Merve Nalan Nur Nuray Özge Pınar Sevgi Selin Sibel Tuğba Tülay Yasemin Zehra Zeynep",
        "Ahmet Ali Arda Baran Barış Berk Burak Can Cem Cemal Emre Engin Erdem Erhan Fatih Ferhat Gökhan Hakan Halil Hasan Hüseyin İbrahim İlker Kaan Kemal Kerem Levent Mehmet Mert Metin Murat Mustafa Onur Orhan Osman Ömer Özgür Selim Serkan Sinan Tolga Tuncay Ufuk Volkan Yusuf",
        "Acar Akın Aksoy Aktaş Arslan Aslan Avcı Aydın Aydoğan Bozkurt Bulut Coşkun Çelik Çetin Demir Demirci Doğan Duman Erdoğan Erol Güler Gündüz Güneş Güven Kaplan Kara Karaca Kaya Keskin Kılıç Koç Korkmaz Köse Kurt Özcan Özdemir Özer Özkan Öztürk Polat Sarı Şahin Şen Şimşek Tekin Toprak Turan Türk Uçar Ünal Yalçın Yaman Yavuz Yıldırım Yıldız Yılmaz Yüksel",
    ),
    "indian": (
        "Aarti Aditi Amrita Ananya Anita Anjali Asha Deepa Deepika Divya Fatima Geeta Indira Jaya Kavita Kiran Lakshmi Lata Madhuri Mamta Manisha Meena Meera Nandini Neha Nisha Padma Parvati Pooja Preeti Priya Radha Rekha Renu Savita Seema Shanti Shilpa Sita Sneha Sunita Sushma Swati Uma Usha Vandana Vidya",
        "Abhishek Ajay Amar Amit Anand Anil Arjun Arun Ashok Bharat Deepak Dinesh Ganesh Gopal Hari Harish Jagdish Kailash Karan Kishore Krishna Mahesh Manoj Mohan Mukesh Naresh Nikhil Nitin Pankaj Prakash Pramod Pravin Rahul Raj Rajesh Rajiv Rakesh Ram Ramesh Ravi Sachin Sandeep Sanjay Satish Shankar Subhash Sudhir Sunil Suresh Vijay Vikram Vinod Vivek Yogesh",
        "Agarwal Ahuja Bajaj Banerjee Basu Bhat Bhatt Bhattacharya Bose Chakraborty Chandra Chatterjee Chauhan Chopra Chowdhury Das Datta Desai Deshmukh Deshpande Dubey Dutta Ghosh Goel Gowda Gupta Iyer Jadhav Jain Jha Joshi Kapoor Kaur Khanna Khan Kulkarni Kumar Malhotra Mehta Menon Mishra Mukherjee Nair Naidu Pandey Patel Pathak Patil Pillai Prasad Rao Rathore Reddy Roy Saha Saxena Sen Shah Sharma Shetty Shukla Singh Sinha Srivastava Thakur Tiwari Trivedi Varma Verma Yadav",
    ),
    "arabic": (
        "Aisha Amal Amina Asma Dalia Dina Farah Fatima Hala Hanan Huda Iman Jamila Khadija Laila Lina Maha Maryam Mona Nadia Noor Rania Reem Salma Samira Sana Widad Yasmin Zainab",
        "Abdullah Adel Ahmad Ali Amir Bilal Faisal Farid Hamza Hassan Hisham Hussein Ibrahim Jamal Karim Khalid Mahmoud Majid Mustafa Nabil Nasser Omar Rashid Saeed Salim Samir Tariq Walid Yasser Youssef Ziad",
        "Abbas Abdallah Aziz Bakri Darwish Fadel Farouk Ghanem Habib Haddad Hakim Hamdan Hashem Issa Jaber Kassem Khalil Khoury Mansour Masri Mousa Najjar Nasr Qasim Rahman Said Saleh Salman Shaheen Sharif Sulaiman Taha Yassin Zaki",
    ),
    "chinese": (
        "Fang Hong Hui Jing Juan Lan Ling Mei Min Na Ping Qian Rong Shan Ting Xia Xin Xiu Yan Ying Yue Yun Zhen",
        "Bin Bo Chao Cheng Dong Feng Gang Guang Hao Jian Jie Jun Kai Lei Liang Peng Qiang Tao Wei Wen Xiang Yang Yong Yu Zhi",
        "Bai Cai Cao Chen Cheng Cui Deng Ding Dong Du Fan Feng Fu Gao Gong Guo Han He Hou Hu Huang Jia Jiang Jin Kong Lai Li Liang Liao Lin Liu Lu Luo Ma Meng Pan Peng Qian Qiu Ren Shao Shen Shi Song Su Sun Tan Tang Tian Wan Wang Wei Wu Xia Xiao Xie Xiong Xu Xue Yan Yang Yao Ye Yin Yu Yuan Zeng Zhang Zhao Zheng Zhou Zhu Zou",
    ),
}

# Titles and particles stay in a name, so no word stands here that is also a name (Don, King, Al, Ben).
TITLES = frozenset(
    _words(
        "mr mrs ms miss mx dr dra prof sir madam rev sr sra srta doña herr frau mme mlle dott "
        "shri smt hon professor doctor doktor señor señora"
    )
)
PARTICLES = frozenset(
    _words(
        "de del la las los da do dos di della van von der den zu zur af av ibn des jr ii iii "
        "und and of the"
    )
)
# For words of no list: names that can stand as given and as family names.
NEUTRAL = _words(
    "Alex Arden Ashton Avery Blake Cameron Casey Dana Devon Drew Ellis Emerson Finley Harley "
    "Hayden Hollis Jamie Jordan Kendall Lane Lennon Logan Marlow Merrit Monroe Noel Parker "
    "Quinn Reese Remy Riley Robin Rowan Sage Sawyer Shannon Sidney Sterling Tatum Terry Tracy "
    "Val Wynn"
)
PLACES = _words(
    "Alderbrook Ashcombe Brackenford Brightwater Castleton Cedarholm Coldbridge Dunmere "
    "Eastmarch Elmsworth Fairhaven Fernley Glenmoor Greyfield Hartwell Hazelbury Highcliff "
    "Kestrelford Kingsmere Larkhill Lindenau Longmeadow Marbury Millbrook Northolt Oakhurst "
    "Otterbourne Pinecrest Ravenswood Redmarsh Riverton Rosedale Silverlake Southwick "
    "Stonebridge Sunnydale Thornbury Underhill Valebrook Westmoor Whitcombe Willowdale "
    "Windmere Woodstead Yarrowby"
)
STREET_WORDS = frozenset(
    _words(
        "street st st. road rd rd. avenue ave ave. av av. lane ln drive dr boulevard blvd square "
        "sq court ct place pl way highway hwy suite apt apt. apartment floor flat unit box p.o. "
        "po north south east west n s e w calle c c/ avda avda. avenida plaza paseo carretera "
        "ctra piso puerta nº n° no. no de del la las los el rue straße strasse platz weg allee "
        "via piazza viale corso rua praça travessa sokak caddesi mahallesi"
    )
)


@cache
def cultures() -> dict[str, Culture]:
    """Give all cultures by name."""
    return {
        name: Culture(name, *(tuple(dict.fromkeys(group.split())) for group in groups))
        for name, groups in _NAMES.items()
    }


@cache
def lookup() -> dict[str, tuple[str, str]]:
    """Say of each listed name, in lower case, its culture and kind; the first listing wins.

    >>> lookup()["carmen"], lookup()["krüger"]
    (('spanish', 'female'), ('german', 'family'))
    """
    found: dict[str, tuple[str, str]] = {}
    for kind in ("female", "male", "family"):
        for culture in cultures().values():
            for name in getattr(culture, kind):
                found.setdefault(name.casefold(), (culture.name, kind))
    return found

"""The families of fonts that come with systems, offices and collections; any other font name may identify somebody."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["STYLE_WORDS", "USUAL_FONT", "is_known_font"]

USUAL_FONT = "Arial"
"""The replacement of a font that is not listed."""
_FAMILIES = """
abadi|abyssinica sil|academy engraved let|agency|al bayan|al nile|al tarikh|albany|aldhabi|alegreya|alegreya sans|
algerian|american typewriter|amiri|andale|andale mono|andalus|angsana new|angsanaupc|anton|aparajita|apple chancery|
apple color emoji|apple sd gothic neo|applegothic|arabic typesetting|arabic transparent|archivo|arial|
arial unicode|arimo|arvo|asana math|athelas|avenir|avenir next|avant garde|itc avant garde gothic|bahnschrift|
bangla sangam mn|barlow|baskerville|baskerville old face|batang|batangche|bauhaus 93|bell|bembo|berlin sans fb|
berlin sans|bernard|biome|bitstream charter|bitstream cyberbit|bitstream vera sans|bitstream vera sans mono|
bitstream vera serif|blackadder itc|bodoni|bodoni 72|bookman|bookman old style|bookshelf symbol 7|bradley hand|
bradley hand itc|britannic|broadway|browallia new|browalliaupc|brush script|cabin|caladea|calibri|californian fb|
calisto|cambria|cambria math|candara|cantarell|cardo|carlito|cascadia code|cascadia mono|caslon|castellar|centaur|
century|century gothic|century schoolbook|chalkboard|chalkduster|charter|chiller|cochin|colonna|comic neo|
comic sans|comfortaa|computer modern|computer modern roman|concourse|consolas|constantia|cooper|copperplate|
copperplate gothic|corbel|cordia new|cordiaupc|cormorant|cormorant garamond|courier|courier new|courier prime|
cousine|crimson text|cumberland|curlz|cutive|dancing script|daunpenh|david|david libre|dejavu lgc sans|dejavu math tex gyre|
dejavu sans|dejavu sans mono|dejavu serif|dengxian|devanagari|devanagari mt|devlys|dfkai sb|dfkai-sb|didact gothic|didot|dillenia upc|
dilleniaupc|din|din alternate|din condensed|dm sans|dm serif|dokchampa|domine|dosis|dotum|dotumche|droid sans|
droid sans fallback|droid sans mono|droid serif|eb garamond|ebrima|edwardian script itc|elephant|encode sans|engravers|
eras|eras itc|estrangelo edessa|eucrosiaupc|euphemia|exo|exo 2|faustina|felix titling|fira code|fira mono|
fira sans|fixedsys|footlight|forte|fraktur|frank ruehl clm|frankruehl|franklin gothic|franklin gothic book|
franklin gothic demi|franklin gothic heavy|franklin gothic medium|freemono|freesans|freeserif|freesiaupc|
freestyle script|french script|frutiger|futura|gabriola|gadugi|garamond|gautami|gelasio|geneva|gentium|gentium basic|
gentium book basic|gentium plus|georgia|gigi|gill sans|gisha|gloucester|goudy old style|goudy stout|grandview|gulim|
gulimche|gungsuh|gungsuhche|haettenschweiler|harlow solid italic|harrington|heebo|heiti sc|heiti tc|helvetica|
helvetica neue|high tower text|hind|hiragino kaku gothic pro|hiragino kaku gothic pron|hiragino mincho pro|
hiragino mincho pron|hiragino sans|hiragino sans gb|hoefler text|holomdl2 assets|ibm plex mono|ibm plex sans|
ibm plex serif|impact|imprint|imprint shadow|inconsolata|informal roman|inter|ipaexgothic|ipaexmincho|ipagothic|ipamincho|
irisupc|iskoola pota|itc officina sans|itc zapf chancery|itc zapf dingbats|jasmineupc|javanese text|jetbrains mono|
jokerman|josefin sans|juice itc|kai|kaiti|kalinga|kartika|karla|khmer ui|khmer os|kinnari|kodchiangupc|kokila|kozuka gothic|
kozuka mincho|kristen itc|kruti dev 010|kunstler script|lao ui|latha|latin modern math|latin modern mono|latin modern roman|
latin modern sans|lato|leelawadee|letter gothic|levenim|liberation mono|liberation sans|liberation serif|
libre baskerville|libre franklin|lilyupc|linux biolinum|linux biolinum g|linux biolinum o|linux libertine|linux libertine g|
linux libertine o|lisu bosa|lohit devanagari|lohit hindi|lohit bengali|lohit tamil|lora|lucida|lucida blackletter|lucida bright|
lucida calligraphy|lucida console|lucida fax|lucida grande|lucida handwriting|lucida sans|lucida sans typewriter|
lucida sans unicode|luxi mono|luxi sans|luxi serif|magneto|maiandra gd|malgun gothic|mangal|manrope|maven pro|marker felt|
marlett|matura script capitals|meiryo|menlo|meera|merriweather|merriweather sans|microsoft himalaya|
microsoft jhenghei|microsoft new tai lue|microsoft phagspa|microsoft sans serif|microsoft tai le|microsoft uighur|
microsoft yahei|microsoft yi baiti|mingliu|mingliu hkscs|mingliu-extb|mingliu hkscs-extb|minion|miriam|miriam fixed|mistral|
modern|modern no. 20|mona lisa solid itc|monaco|mongolian baiti|monotype corsiva|monotype sorts|montserrat|moolboran|
mplus|ms gothic|ms mincho|ms outlook|ms pgothic|ms pmincho|ms reference sans serif|ms reference specialty|ms sans serif|
ms serif|ms shell dlg|ms shell dlg 2|ms song|ms ui gothic|mt extra|mukta|mulish|muli|mv boli|myanmar text|
myriad|myriad web|nachlieli|nanum gothic|nanum myeongjo|nanumgothic|nanummyeongjo|narkisim|new york|new century schoolbook|
new gulim|news gothic|newsgoth|niagara engraved|niagara solid|nimbus mono|nimbus mono l|nimbus roman|nimbus roman no9 l|
nimbus sans|nimbus sans l|nirmala|noteworthy|noto color emoji|noto emoji|noto kufi arabic|noto mono|noto naskh arabic|
noto nastaliq urdu|noto sans|noto sans arabic|noto sans cjk|noto sans cjk jp|noto sans cjk kr|noto sans cjk sc|
noto sans cjk tc|noto sans devanagari|noto sans hebrew|noto sans jp|noto sans kr|noto sans lisu|noto sans mono|
noto sans mono cjk sc|noto sans sc|noto sans symbols|noto sans symbols2|noto sans tc|noto sans thai|noto serif|noto serif cjk|
noto serif cjk jp|noto serif cjk sc|noto serif cjk tc|noto serif hebrew|nsimsun|nunito|nunito sans|nyala|ocr a|
ocr b|ocrb|old english text|onyx|open sans|opendyslexic|opensymbol|optima|orator|oswald|outfit|overpass|oxygen|
oxygen mono|palace script|palatino|palatino linotype|pacifico|papyrus|parchment|perpetua|perpetua titling|philosopher|pingfang|
pingfang hk|pingfang sc|pingfang tc|plantagenet cherokee|playbill|playfair|playfair display|pmingliu|pmingliu-extb|poor richard|
poppins|pristina|prompt|proxima nova|pt mono|pt sans|pt serif|public sans|quattrocento|quattrocento sans|quicksand|raavi|
rage|rage italic|rajdhani|raleway|ravie|red hat|roboto|roboto mono|roboto serif|roboto slab|rockwell|rod|roman|
rubik|sakkal majalla|sanskrit text|sans|sans serif|savoye let|script|script bold|segoe|segoe fluent icons|segoe mdl2 assets|
segoe print|segoe script|segoe symbol|segoe ui|segoe ui emoji|segoe ui historic|segoe ui symbol|segoe ui variable|serif|shonar bangla|
showcard gothic|shree devanagari 714|shruti|signika|simhei|simplified arabic|simplified arabic fixed|simsun|simsun-extb|sitka|
snap itc|source code pro|source code|source han sans|source han serif|source sans|source sans 3|source serif|source serif 4|
space grotesk|space mono|spectral|starsymbol|standard symbols l|stencil|stix|stix general|stix two math|stix two text|
stixgeneral|stixsizeonesym|stxingkai|stfangsong|stkaiti|stsong|stxihei|stzhongsong|swiss|swiss 721|sylfaen|symbol|symbolps|
system|tahoma|tempus sans itc|tenorite|terminal|tex gyre adventor|tex gyre bonum|tex gyre cursor|tex gyre heros|
tex gyre pagella|tex gyre schola|tex gyre termes|thorndale|tibetan machine uni|times|times new roman|
times new roman ps|tinos|titillium|titillium web|tlwg mono|tlwg typewriter|tlwgmono|traditional arabic|trajan|trebuchet|
tunga|tw cen|ubuntu|ubuntu mono|umpush|unifont|univers|urdu typesetting|urw bookman|urw bookman l|
urw chancery l|urw gothic|urw gothic l|urw palladio l|utopia|utsaah|vani|varela round|verdana|verdana pro|vijaya|viner hand itc|
vivaldi|vladimir script|vollkorn|vrinda|webdings|wenquanyi micro hei|wenquanyi zen hei|wide latin|wingdings|
wingdings 2|wingdings 3|work sans|yu gothic|yu mincho|yugothic|yumincho|zapf chancery|zapf dingbats|zapfino|zapfdingbats|zilla slab|
aptos|aptos serif|fangsong|fangsong gb2312|kaiti gb2312|adobe caslon|adobe garamond|adobe heiti std|adobe song std|
akzidenz grotesk|ar pl kaitim|ar pl mingti2l|ar pl sungtil|ar pl ukai|ar pl uming|apple symbols|menlo regular|hei|song|ming|mono|monospace|
monospaced|cursive|fantasy|dialog|dialoginput|sansserif|tmsrmn|helv|tms rmn|cg times|cg omega|univers condensed|clarendon|
officina sans|rotis sans serif|rotis serif|syntax|stone sans|stone serif|thesans|thesis|meta|din next|din pro|ff din|ff meta|
gotham|circular|proxima|museo|museo sans|brandon grotesque|fedra sans|fedra serif|interstate|
游ゴシック|游明朝|ｍｓ ゴシック|ｍｓ 明朝|ｍｓ ｐゴシック|ｍｓ ｐ明朝|ms ゴシック|ms 明朝|ms pゴシック|ms p明朝|メイリオ|hg丸ｺﾞｼｯｸm-pro|hg明朝e|
hg創英角ｺﾞｼｯｸub|ヒラギノ角ゴ pro w3|ヒラギノ明朝 pro w3|宋体|新宋体|黑体|楷体|楷体 gb2312|仿宋|仿宋 gb2312|微软雅黑|华文宋体|华文楷体|华文中宋|华文仿宋|华文细黑|华文黑体|
华文新魏|华文行楷|隶书|幼圆|等线|方正姚体|方正舒体|新細明體|細明體|標楷體|微軟正黑體|맑은 고딕|굴림|굴림체|돋움|돋움체|바탕|바탕체|궁서|궁서체|나눔고딕|나눔명조|한컴바탕|함초롬바탕|함초롬돋움
"""
_STYLES = """
regular normal book roman italic oblique light extralight ultralight thin hairline medium semi semibold demi demibold bold
extrabold extra ultra ultrabold heavy black blk lt md bd it condensed cond cn narrow semicondensed extracondensed compressed
wide extended ext expanded semilight demilight display text small subheading banner heading caption headline micro titling
poster rounded mt ms std pro ps psmt com ce cyr greek tur baltic bt let lt itc ui unicode arabic hebrew thai vietnamese ce
cyrillic western latin bidi l caps sc osf lf stencil shadow outline inline engraved solid nova next neue new plus web
variable vf fb fixed sans serif mono slab no lgc cjk jp kr tc hk gb hkscs extb w1 w2 w3 w4 w5 w6 w7 w8 w9
"""
_KNOWN = frozenset(" ".join(_FAMILIES.split()).replace("| ", "|").split("|"))
STYLE_WORDS = frozenset(_STYLES.split())
"""What may follow the name of a family."""
_APART = re.compile(r"[\s_\-,]+")
_JOINED = frozenset(name.replace(" ", "") for name in _KNOWN if len(name) > 3)
_TAG = re.compile(r"[A-Z]{6}\+")


@lru_cache(1_000)
def is_known_font(name: str) -> bool:
    """Return whether a name is that of a font that many people have, perhaps with the name of a style after it.

    >>> is_known_font("Times New Roman"), is_known_font("Arial-BoldMT"), is_known_font("Anna Perez")
    (True, True, False)
    """
    if name[:1] == "+":  # the heading and body fonts of a theme
        return name[1:].split("-", maxsplit=1)[0] in ("mj", "mn") and len(name) < 10
    words = _APART.sub(" ", _TAG.sub("", name.strip("@'\" "))).strip().lower()
    if not words or words.replace(" ", "").isdecimal():
        return True
    while words:
        if words in _KNOWN or words.replace(" ", "") in _JOINED:
            return True
        rest = _without_style(words)
        if rest == words:
            return False
        words = rest
    return False


def _without_style(words: str) -> str:
    """Return a name without its last word or its last number, if that says a style."""
    first, _, last = words.rpartition(" ")
    if first and (last in STYLE_WORDS or last.isdecimal()):
        return first
    bare = words.rstrip("0123456789")
    if bare != words:  # as office programs number fonts
        return bare.rstrip()
    style = next((s for s in sorted(STYLE_WORDS, key=len, reverse=True) if len(s) > 1 and last.endswith(s) and last != s), "")  # fmt: skip
    return words.removesuffix(style)

"""The class of every code point, as the tokenizer sees it; the same on every version of Python.

The table was made from Unicode 14.0 and is shipped as run lengths, because a newer Python brings a newer
`unicodedata` and the same text must give the same tokens. `tests/engines/text/reading/test_unicode_classes.py`
holds the rule that made it, in plain Python, and compares all 1,114,112 code points.
"""

from __future__ import annotations

import base64
import zlib
from functools import cache

import numpy as np
import numpy.typing as npt

__all__ = [
    "APOSTROPHE",
    "BREAK",
    "DIGIT",
    "EXTEND",
    "IDEOGRAPH",
    "LETTER",
    "OTHER",
    "SPACE",
    "class_table",
]

SPACE = 0  # white space, zero-width space, byte order mark, direction marks: between tokens
BREAK = 1  # ends a line
LETTER = 2
DIGIT = 3  # all kinds of numbers
EXTEND = 4  # combining marks, joiners, soft hyphens: belong to what comes before them
IDEOGRAPH = 5  # Han and kana, written without spaces: each is a word
OTHER = 6  # punctuation, symbols, controls, unassigned
APOSTROPHE = 7  # ' and ’: inside a word when letters stand on both sides

# Each run is one LEB128 number, length * 8 + class; zlib, base 85.
_RUNS = (
    "c-n1NPiPz28RvU5Qk3VHFUffJQIy$XcRc%AWOZm|Gf-QoMR7%OTpcv24ykdAYjp4i9~R?765OIXI+!39H~65GP!!"
    "h(b@4&n>YxTue8@oyKA3I}+7ehT_@HciaJoKdm)(A2drKF}litio-~0aj-tYUp$;aMY`;LD(7i12>KZN4N=Mc+tD"
    "by%(dxYaPYy%Df4=uI0mdJ4ARoJ+YKtnpneU5SDSO=^{uouI0lVg)f?sr-4Q-%Uf8Y0&N<*ZB==TX=__8tVv5Va`"
    "s8Jsjsbd4Y``MTiZ82$mW8=2>8!6utC6lEcs;PN?c@#Hpi!BV%peZUl&{>&l!yVle!{t$S&V9Ef?U}07ov;wCnbw"
    ">)GmZr3LPACK8WMaq($x%oPQ|jE#2!|AyRAgz34Aqng%(z&vaF$9tw@Hw%8MM%%JPmS`=acw9!Ojd$gJrDqSjZ=e"
    "f@8{#qhlL{kzpHl++I{k+d`KR5^Ha-B(oHQ;4MSAo?N;a6A26%2FXn$ryyq*g|iT6CO+jHhA>v#Fv%`6&;H?FTuf"
    "8&M<GNOZh=i;%_5gmwosF_8#8_&&6TnyjI=j3gF%OdnI(|SI2MF4$7O=<CS@R<3gaCx{U<={Xecv_b*6Rz&BQ$Ju"
    ")H|XdTa-H;HO;2;+Bz)yUR;l1g>l{<Q|tjh658FNxMOFm(jGz{`-6fyBb|;y0r37z%D}tnh}|@`$}#?>=3-3ZePo"
    "0w!qETz*^V>v$Rabnx(q7!ECO$kbxgmAsP7HNG4%!F~Pm2UL>k6sik6Y3^K9MXNp+;^F7vvq-tn4@l!&YmaXvI7f"
    "{ubL-qi&HhGyVS;uhO2>NWbRHw3XfgKO(OwML{OvWojt@pqYDPdULD~k=ic~z#UPMWe*O*n=i8`>%J;y6X@OQ~fq"
    "y!)kjC4YJC>i526u_V4RIl|?HN1!b~)*i4bP#v;BYZCsM7YA=i$4e-Vk2GVv_1#aj6aCN7`t~b0$~Dk;EF(YiHNN"
    "{=hT5hL`6>M7*kE5WUU@yHjFAJlF-g?9W~jeJh@ZwK{4j#Txa86197pW2VwqL6`%q!Q30%j!bnURa74!b@wTgcK4"
    "}9>G$NDjogDbQ@fw2oi=Hg8%)okj4xyNQ@J1Wb%cgmt?PzDhfjtH?9_C&F+mCP;eAru4uA*5_-0TJ|JMz-O0X#lo"
    "6WUFh0L_!pT1d(_(9~W7owciGtTU(kSPMHal3;qn^@>WvD&0>lGPo36F`M=}WF3e!KqTY^_+MqVI-FNlRr2H`2Vp"
    "FAr$3+2`F=TYu=KW}u_2f2`b=lOOu|>5(l%ubnz;;Z=DsZlV3qKS8WSh)BjV0qpq&kauND2q!<c@r2oAoY~Ub4~$"
    "S`|jC7sPgqirLiG#YdpZY%E`gk?e@qWJ!-GNG+4a@#pOLVwfgV^x0=QLgp6UIaQAH>tnq=nr}ie`wUWe$Z&Q~Pmx"
    "yj8R-Tm#N>7QP7fh>qoRe0c;ii&Aa1wxeNBxTzXkb<ky@CZ>rj&nKw3)N=)eF*>ET+1Ww8&Y8mAu9icRuX1Mm74b"
    "YQv?>FOP=rmfVp%tW2Jxu9iy4q*zWZJg)>2zagu^J6c7I`KJc!1OK<<*bHwZ{ZaP!{m8)z~<?^5Je%okO_RN&Q>u"
    "{+~m0$6O!kxvbO3d7tMeuuATrjGj?Ig7ghaK3kZTjX2_Pjz<0l)s%W06YABap!jx${`6AXJN;zJjMEnHG+71x;C}"
    "}=qX*t&c$J}OR?Ez6}A!xB4yG?rD(t058sb8t7gONVFw-+tzkD!z#oy}5|eV8N?xx_QG6twiLY?G%nWh!0(zq!xS"
    "+|7v`pFd_B<du#gy>n$28*Bz=`1(r-clmw5)dM|DxydH&@YG9lkt1cKU&<^=&&e>2(Hgi1BYgc&@PZxwpcVZ*T7|"
    "ke+JVjJ`Y?-goiCv69z4>!V;NGhz#r-~k^AIASxe`gQh?Lg0Ivp>@v{C`IEeOiCHPY<<1SZpf<Y{pYx`fZT=S>T*"
    "=%P|cTQ1!ZE*Fif3erA@K&z>t=)H_7xk9y*-XKvqxa~K?B7g2g_Adv_WK~yC*ba0v|e0%0!Psgpc89Eu&vVpNhcB"
    "=_lvYyQ@E*<Y-j1F543gEUG@~#U!$$3Jq=$J{_mWXztbvjJk``gEhpAQ3zB%R^5Y>?F^vx>a0t=fr2(_kQ<A7tHI"
    "G45q0ii)MeXi{oret}Z=?@cT~BirbiV(QM(-wLNBT>KcejOuy|6zyHBEu+dH8Ok&NMZC{`=P>d<vm)PVEY~2_)1B"
    "y6n1dpLog2uY=Z)KKts2kAL$wCQe`@T8V93u6+E9{{S-U9A^"
)


@cache
def class_table() -> npt.NDArray[np.uint8]:
    """Return the class of each code point; built once, in about a millisecond.

    >>> [int(class_table()[ord(c)]) for c in "a1 .’"]
    [2, 3, 0, 6, 7]
    """
    codes = np.frombuffer(zlib.decompress(base64.b85decode(_RUNS)), np.uint8)
    ends = np.flatnonzero(codes < 128)
    starts = np.concatenate([[0], ends[:-1] + 1])
    place = np.arange(codes.size) - np.repeat(starts, ends - starts + 1)
    numbers = np.add.reduceat((codes & 127).astype(np.int64) << (7 * place), starts)
    table = np.repeat((numbers & 7).astype(np.uint8), numbers >> 3)
    table.setflags(write=False)
    return table

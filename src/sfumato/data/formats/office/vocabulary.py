"""The words that attributes of office files may hold: values that the standard (ECMA-376) enumerates.

A value of an attribute that is no such word, no number and no name that is listed by its attribute was
written by somebody, and does not stay.
"""

from __future__ import annotations

__all__ = ["STYLES", "WORDS"]

_LISTED = """
3Arrows 3ArrowsGray 3Flags 3Signs 3Stars 3Symbols 3Symbols2 3TrafficLights1 3TrafficLights2 3Triangles
4Arrows 4ArrowsGray 4Rating 4RedToBlack 4TrafficLights 5Arrows 5ArrowsGray 5Boxes 5Quarters 5Rating
general hold remove freeze transition whenOff
standard contextual historical discretional standardContextual standardHistorical contextualHistorical
standardDiscretional contextualDiscretional historicalDiscretional lining oldStyle proportional tabular
above aboveAverage absolute accent1 accent2 accent3 accent4 accent5 accent6 accentBorderCallout1
accentBorderCallout2 accentBorderCallout3 accentCallout1 accentCallout2 accentCallout3
actionButtonBackPrevious actionButtonBeginning actionButtonBlank actionButtonDocument
actionButtonEnd actionButtonForwardNext actionButtonHelp actionButtonHome
actionButtonInformation actionButtonMovie actionButtonReturn actionButtonSound activeBorder
activeCaption adj adj1 adj2 aiueo aiueoFullWidth alignAcc1 alignAccFollowNode1 alignImgPlace1
alignNode1 all alphaLcParenBoth alphaLcParenR alphaLcPeriod alphaUcParenBoth alphaUcParenR
alphaUcPeriod always angle any appWorkspace ar arabic1Minus arabic2Minus arabicAbjad arabicAlpha
arabicDbPeriod arabicDbPlain arabicParenBoth arabicParenR arabicPeriod arabicPlain arc area
around array arrow artDeco ascending ascendingAlpha ascendingNatural asDisplayed asst0 asst1
asst2 asst3 asst4 atEnd atLeast auto autoFilter autofit autoNoTable autoTxRot autoZero average
avg axisCol axisPage axisRow axisValues b background background1 background2 balanced band1Horz
band1Vert band2Horz band2Vert bar base baseline before begin beginsWith begPad begPts behind
below belowAverage bentArrow bentConnector2 bentConnector3 bentConnector4 bentConnector5
bentUpArrow bestFit between bevel bg1 bg2 bgAcc1 bgAccFollowNode1 bgImgPlace1 bgShp
bgSibTrans2D1 bidi billions bl black blackGray blackWhite blank blankRow blockArc blue bMarg
body borderCallout1 borderCallout2 borderCallout3 both bothSides bottom bottomLeft bottomRight
box br bracePair bracketPair brightRoom btLr btnFace btnHighlight btnShadow btnText bullet
button buttonFace call callout callout1 callout2 callout3 can cancelBubble captionBeginsWith
captionBetween captionContains captionEndsWith captionEqual captionGreaterThan
captionGreaterThanOrEqual captionLessThan captionLessThanOrEqual captionNotBeginsWith
captionNotBetween captionNotContains captionNotEndsWith captionNotEqual captionText cardinalText
cellColor cellIs center centerGroup ch character chart chartPlus chartStar chartX chevron
chicago chilly chineseCounting chineseCountingThousand chineseLegalSimplified chord chosung
circle circleNumDbPlain circleNumWdBlackPlain circleNumWdWhitePlain circularArrow clean clear
clickEffect clip clipArt cloud cloudCallout clr clustered col collapse colorScale column
commIndAndComment commIndicator commNone composite compressPunctuation
compressPunctuationAndJapaneseKana cone coneToMax conFgAcc1 conn connDist connectorText
consolidation contains containsBlanks containsErrors containsText content continuationNotice
continuationSeparator continue continuous contrasting convert convex coolSlant corner cornerTabs
count countA countNums cross ctr ctrTitle cube curvedConnector2 curvedConnector3
curvedConnector4 curvedConnector5 curvedDownArrow curvedLeftArrow curvedRightArrow curvedUpArrow
cust custom cyan cylinder d dark1 dark2 darkBlue darkCyan darken darkenLess darkGray darkGreen
darkMagenta darkRed darkYellow dash dashDnDiag dashDot dashDotDot dashDotDotHeavy dashDotHeavy
dashDotStroked dashed dashedHeavy dashHeavy dashHorz dashLong dashLongHeavy dashSmallGap
dashUpDiag dashVert data dataBar dataTable date dateBetween dateEqual dateNewerThan
dateNewerThanOrEqual dateNotBetween dateNotEqual dateOlderThan dateOlderThanOrEqual
datetimeFigureOut day days dbl dblStrike dec decagon decimal decimalEnclosedCircle
decimalEnclosedCircleChinese decimalEnclosedFullstop decimalEnclosedParen decimalFullWidth
decimalFullWidth2 decimalHalfWidth decimalZero decorative default des descending descendingAlpha
descendingNatural desOrSelf dgm diagBrick diagCross diagStripe diamond difference dir disabled
displayed dist distribute distributed distributeLetter distributeSpace divot dk1 dk2 dkBgShp
dkDnDiag dkEdge dkHorz dkUpDiag dkVert dnDiag doc docPart docVars dodecagon doNotCompress donut
dot dotDash dotDashHeavy dotDmnd dotDotDash dotDotDashHeavy dotGrid dotted dottedHeavy double
doubleAccounting doubleWave downArrow downArrowCallout downThenOver drill drop dropCap dt
duplicateValues DVASPECT_CONTENT DVASPECT_ICON dxa e ea1ChsPeriod ea1ChsPlain ea1ChtPeriod
ea1ChtPlain ea1JpnChsDbPeriod ea1JpnKorPeriod ea1JpnKorPlain eachPage eachSect eaVert edge edit
ellipse ellipseRibbon ellipseRibbon2 ellipsis email emu enabled end endPad endPts endsWith
endswith equ equal even evenPage exact exp expression external f factor false fe fgAcc0 fgAcc1
fgAcc2 fgAcc3 fgAcc4 fgAccFollowNode1 fgImgPlace1 fgShp fgSibTrans2D1 field filled first
firstCol firstColumn firstColumnStripe firstColumnSubheading firstHeaderCell firstRow
firstRowStripe firstRowSubheading firstSubtotalColumn firstSubtotalRow firstTotalCell fixed
fixedVal flat flood flowChartAlternateProcess flowChartCollate flowChartConnector
flowChartDecision flowChartDelay flowChartDisplay flowChartDocument flowChartExtract
flowChartInputOutput flowChartInternalStorage flowChartMagneticDisk flowChartMagneticDrum
flowChartMagneticTape flowChartManualInput flowChartManualOperation flowChartMerge
flowChartMultidocument flowChartOfflineStorage flowChartOffpageConnector flowChartOnlineStorage
flowChartOr flowChartPredefinedProcess flowChartPreparation flowChartProcess
flowChartPunchedCard flowChartPunchedTape flowChartSort flowChartSummingJunction
flowChartTerminator foldedCorner folHlink followedHyperlink followSib fontColor formatting
formula frame freezing fromR fromT frozen frozenSplit ftr fullAlpha fullHangul fullKatakana
fullPage fullwidthKatakana funnel ganada gap gear6 gear9 General glow gradientActiveCaption
gradientInactiveCaption gramEnd gramStart grand grav gray gray125 grayText grayWhite greaterThan
greaterThanOrEqual green gregorian gregorianArabic gregorianMeFrench gregorianUs
gregorianXlitEnglish gregorianXlitFrench h hair half halfAlpha halfFrame halfHangul halfKatakana
halfwidthKatakana hardEdge harsh hdr headerRow heart heavy hebrew hebrew1 hebrew2 hebrew2Minus
heptagon hex hexagon hidden high highKashida highlight highlightText hijri hindiAlpha1Period
hindiAlphaPeriod hindiConsonants hindiCounting hindiNumbers hindiNumParenR hindiNumPeriod
hindiVowels hiragana hlink homePlate horizontalScroll horz horzBrick horzCross horzStripe
hotLight hour hours hqprint hRule hundredMillions hundreds hundredThousands hybridMultilevel
hyperlink hyphen icon iconSet ideographDigital ideographEnclosedCircle ideographLegalTraditional
ideographTraditional ideographZodiac ideographZodiacTraditional if in inactiveBorder
inactiveCaption inactiveCaptionText inBase indefinite index inEnd INF infoBk information
infoText inline inlineStr inner inset inside inTable interactiveSeq invGray iroha irohaFullWidth
irregularSeal1 irregularSeal2 is isometricBottomDown isometricBottomUp isometricLeftDown
isometricLeftUp isometricOffAxis1Left isometricOffAxis1Right isometricOffAxis1Top
isometricOffAxis2Left isometricOffAxis2Right isometricOffAxis2Top isometricOffAxis3Bottom
isometricOffAxis3Left isometricOffAxis3Right isometricOffAxis4Bottom isometricOffAxis4Left
isometricOffAxis4Right isometricRightDown isometricRightUp isometricTopDown isometricTopUp japan
japaneseCounting japaneseDigitalTenThousand japaneseLegal just justify justLow korea
koreanCounting koreanDigital koreanDigital2 koreanLegal l label landscape largest last7Days
lastCol lastColumn lastHeaderCell lastMonth lastQuarter lastRow lastTotalCell lastWeek lastYear
left leftArrow leftArrowCallout leftBrace leftBracket leftCircularArrow leftRightArrow
leftRightArrowCallout leftRightCircularArrow leftRightRibbon leftRightUpArrow leftUpArrow
legacyFlat1 legacyFlat2 legacyFlat3 legacyFlat4 legacyHarsh1 legacyHarsh2 legacyHarsh3
legacyHarsh4 legacyMatte legacyMetal legacyNormal1 legacyNormal2 legacyNormal3 legacyNormal4
legacyObliqueBottom legacyObliqueBottomLeft legacyObliqueBottomRight legacyObliqueFront
legacyObliqueLeft legacyObliqueRight legacyObliqueTop legacyObliqueTopLeft legacyObliqueTopRight
legacyPerspectiveBottom legacyPerspectiveBottomLeft legacyPerspectiveBottomRight
legacyPerspectiveFront legacyPerspectiveLeft legacyPerspectiveRight legacyPerspectiveTop
legacyPerspectiveTopLeft legacyPerspectiveTopRight legacyPlastic legacyWireframe lessThan
lessThanOrEqual lg lgCheck lgConfetti lgDash lgDashDot lgDashDotDot lgGrid light1 light2 lighten
lightenLess lightGray lightningBolt lin linDir line linear lineDrawn lineInv lineMarker
linkedBookmark list lMarg lnNode1 log low lowerLetter lowerRoman lowKashida lr lrTb lrTbV lrV
lt1 lt2 ltDnDiag lte ltGray ltHorz ltr ltUpDiag ltVert lvl magenta major majorAscii majorBidi
majorEastAsia majorHAnsi manual margin marker mathDivide mathEqual mathMinus mathMultiply
mathNotEqual mathPlus matte max maximized maxMin med media mediacall medium mediumDashDot
mediumDashDotDot mediumDashed mediumKashida menu menuBar menuHighlight menuText metal midCat
middleDot millions min minimum minMax minor minorAscii minorBidi minorEastAsia minorHAnsi minus
minute minutes miter modern mongolianVert month months moon morning movingAvg mso mult
multilevel n NaN narHorz narVert neCell never nextColumn nextMonth nextPage nextQuarter nextTo
nextWeek nextYear nil no noControl noConversion node node0 node1 node2 node3 node4 nodesForEach
noIndicator none nonIsoscelesTrapezoid norm normal noSmoking noStrike notBeside notBetween
notchedRightArrow notContains notContainsBlanks notContainsErrors notContainsText notEqual
notesMasterView notesView nothing null num numberInDash numbering nwCell o obj objects objTx
obliqueBottom obliqueBottomLeft obliqueBottomRight obliqueLeft obliqueRight obliqueTop
obliqueTopLeft obliqueTopRight octagon odd oddPage off on onClick oneCell oneColumn openDmnd
optical ordinal ordinalText origin orthographicFront out outEnd outer outset outside oval over
overflow overThenDown page pageBreakPreview pageFieldLabels pageFieldValues pageLayout pages
paragraph parallelogram parChTrans1D1 parChTrans1D2 parChTrans1D3 parChTrans1D4 parChTrans2D1
parChTrans2D2 parChTrans2D3 parChTrans2D4 parTrans parTxLTRAlign path pct pct10 pct12 pct15
pct20 pct25 pct30 pct35 pct37 pct40 pct45 pct5 pct50 pct55 pct60 pct62 pct65 pct70 pct75 pct80
pct85 pct87 pct90 pct95 pentagon percent percentage percentDiff percentile percentOfCol
percentOfRow percentOfTotal percentStacked perspectiveAbove perspectiveAboveLeftFacing
perspectiveAboveRightFacing perspectiveBelow perspectiveContrastingLeftFacing
perspectiveContrastingRightFacing perspectiveFront perspectiveHeroicExtremeLeftFacing
perspectiveHeroicExtremeRightFacing perspectiveHeroicLeftFacing perspectiveHeroicRightFacing
perspectiveLeft perspectiveRelaxed perspectiveRelaxedModerately perspectiveRight phClr pic
picture picTx pie pieWedge pinYin pivotTable pixelHeight pixelLineWidth pixelWidth placeholders
plaid plaque plaqueTabs plastic plus poly portrait pos posOdd powder power pres preserve presOf
presParOf primFontSz print printArea process prod product pyramid pyramidToMax quadArrow
quadArrowCallout quarter quarters query queryTable r range rect red relative relaxedInset repeat
restart reverseDiagStripe revTx ribbon ribbon2 riblet right rightArrow rightArrowCallout
rightBrace rightBracket rl rlV rMarg rnd roman romanLcParenBoth romanLcParenR romanLcPeriod
romanUcParenBoth romanUcParenR romanUcPeriod round round1Rect round2DiagRect round2SameRect
roundRect row rtl rtTriangle runTotal russianLower russianUpper s saka scenario screen screen4x3
script scrollBar seCell secHead second secondColumnStripe secondColumnSubheading secondRowStripe
secondRowSubheading seconds secondSubtotalColumn secondSubtotalRow section sectPr seek selection
self separate separator shape shapes shared shdw1 shdw10 shdw11 shdw12 shdw13 shdw14 shdw15
shdw16 shdw17 shdw18 shdw19 shdw2 shdw20 shdw3 shdw4 shdw5 shdw6 shdw7 shdw8 shdw9 sheet shingle
sib sibTrans sibTrans1D1 sibTrans2D1 sibTransForEach simple single singleAccounting singleLevel
slantDashDot sldImg sldMasterView sldNum sldThumbnailView slidenum slope sm small smCheck
smConfetti smGrid smileyFace smooth smoothMarker sng sngStrike snip1Rect snip2DiagRect
snip2SameRect snipRoundRect soft softEdge softmetal softRound sole solid solidAlignAcc1
solidBgAcc1 solidDmnd solidFgAcc1 sp space spaceBetweenRectangles span spellEnd spellStart
sphere split sq square squareTabs stack stacked stackScale standard star star10 star12 star16
star24 star32 star4 star5 star6 star7 star8 start startswith static stdDev stdDevP stdDevp
stdErr stealth stop str straightConnector1 stretch strict stripedRightArrow stroke subscript
subSup subTitle sum sun sunrise sunset superscript swCell swiss swooshArrow sysDash sysDashDot
sysDashDotDot sysDot t tab table taiwan taiwaneseCounting taiwaneseCountingThousand
taiwaneseDigital tb tbl tbLrV tbRl tbRlV tbV teardrop tenMillions tenThousands text text1 text2
textAlignment textArchDown textArchDownPour textArchUp textArchUpPour textButton textButtonPour
textCanDown textCanUp textCascadeDown textCascadeUp textChevron textChevronInverted textCircle
textCirclePour textCurveDown textCurveUp textDeflate textDeflateBottom textDeflateInflate
textDeflateInflateDeflate textDeflateTop textDoubleWave1 textFadeDown textFadeLeft textFadeRight
textFadeUp textInflate textInflateBottom textInflateTop textLength textNoShape textPlain
textRingInside textRingOutside textSlantDown textSlantUp textStop textTriangle
textTriangleInverted textWave1 textWave2 textWave4 thai thaiAlphaParenBoth thaiAlphaParenR
thaiAlphaPeriod thaiCounting thaiDist thaiDistribute thaiLetters thaiNumbers thaiNumParenBoth
thaiNumParenR thaiNumPeriod thick thickThin thickThinLargeGap thickThinMediumGap
thickThinSmallGap thin thinDiagCross thinDiagStripe thinHorzCross thinHorzStripe
thinReverseDiagStripe thinThick thinThickLargeGap thinThickMediumGap thinThickSmallGap
thinThickThinLargeGap thinThickThinMediumGap thinThickThinSmallGap thinVertStripe
thirdColumnSubheading thirdRowSubheading thirdSubtotalColumn thirdSubtotalRow thisMonth
thisQuarter thisWeek thisYear thousands threeDEmboss threeDEngrave threePt through tight time
timePeriod title titleOnly tl tMarg tmRoot today togglePause tomorrow top top10 topAndBottom
topEnd topLeft topRight totalRow tr trAlignAcc1 transitional translucentPowder trapezoid trBgShp
tree trellis tri triangle trillions triple true twoCell twoColumn twoObj twoPt twoTxTwoObj tx
tx1 tx2 underscore undOvr uniqueValues unknown upArrow upArrowCallout upDiag upDownArrow
upDownArrowCallout upperLetter upperRoman userSet uturnArrow val value valueBetween valueEqual
valueGreaterThan valueGreaterThanOrEqual valueLessThan valueLessThanOrEqual valueNotBetween
valueNotEqual var variable varP varp vennNode1 vert vert270 verticalScroll vertStripe
vertTitleAndTx vertTx veryHidden vf vietnameseCounting view visible w warmMatte warning wave
wavy wavyDbl wavyDouble wavyHeavy wd wdDnDiag wdUpDiag weave wedgeEllipseCallout
wedgeRectCallout wedgeRoundRectCallout whenNotActive whenNotUnderlined white whole wholeTable
wildcard window windowFrame windowText wordArtVert wordArtVertRtl words worksheet x xl xml xy y
year years yearToDate yellow yes yesterday zero zigZag
"""
WORDS = frozenset(_LISTED.split())
_COUNTED = (
    "heading 9;toc 9;index 9;List 5;List Bullet 5;List Number 5;List Continue 5;Body Text 3;Body Text Indent 3;"
    "Table Simple 3;Table Classic 4;Table Colorful 3;Table Columns 5;Table Grid 8;Table List 8;Table 3D effects 3;"
    "Table Subtle 2;Table Web 3;Plain Table 5"
)
_ACCENTED = (
    "Light Shading;Light List;Light Grid;Medium Shading 1;Medium Shading 2;Medium List 1;Medium List 2;Medium Grid 1;"
    "Medium Grid 2;Medium Grid 3;Dark List;Colorful Shading;Colorful List;Colorful Grid;Grid Table 1 Light;"
    "Grid Table 2;Grid Table 3;Grid Table 4;Grid Table 5 Dark;Grid Table 6 Colorful;Grid Table 7 Colorful;"
    "List Table 1 Light;List Table 2;List Table 3;List Table 4;List Table 5 Dark;List Table 6 Colorful;"
    "List Table 7 Colorful"
)
_SINGLE = (
    "Normal;Normal Indent;footnote text;footnote reference;annotation text;annotation reference;"
    "annotation subject;header;footer;index heading;caption;table of figures;envelope address;envelope return;"
    "line number;page number;endnote reference;endnote text;table of authorities;macro;toa heading;Title;Closing;"
    "Signature;Default Paragraph Font;Body Text Indent;Body Text;Message Header;Subtitle;Salutation;Date;"
    "Body Text First Indent;Body Text First Indent 2;Note Heading;Block Text;Hyperlink;FollowedHyperlink;Strong;"
    "Emphasis;Document Map;Plain Text;E-mail Signature;HTML Top of Form;HTML Bottom of Form;Normal (Web);"
    "HTML Acronym;HTML Address;HTML Cite;HTML Code;HTML Definition;HTML Keyboard;HTML Preformatted;HTML Sample;"
    "HTML Typewriter;HTML Variable;Normal Table;No List;Outline List 1;Outline List 2;Outline List 3;"
    "Table Contemporary;Table Elegant;Table Professional;Balloon Text;Table Grid;Table Theme;Placeholder Text;"
    "No Spacing;Revision;List Paragraph;Quote;Intense Quote;Subtle Emphasis;Intense Emphasis;Subtle Reference;"
    "Intense Reference;Book Title;Bibliography;TOC Heading;Grid Table Light;Table Normal;Smart Hyperlink;Hashtag;"
    "Mention;Unresolved Mention;Smart Link"
)


def _styles() -> frozenset[str]:
    found = set(_SINGLE.split(";"))
    for entry in _COUNTED.split(";"):
        stem, _, last = entry.rpartition(" ")
        found |= {stem, *(f"{stem} {number}" for number in range(1, int(last) + 1))}
    for stem in _ACCENTED.split(";"):
        found |= {stem, *(f"{stem} Accent {number}" for number in range(1, 7))}
        found |= {f"{stem} - Accent {number}" for number in range(1, 7)}
    found |= {f"{name} Char" for name in found}
    return frozenset(name.lower() for name in found)


STYLES = _styles()
"""The names of styles that a word processor brings itself, in lower case."""

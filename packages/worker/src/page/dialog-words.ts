/**
 * "What's new" in the languages of WhatsApp. A title also names the app, before or after, with a case or a preposition.
 */
const NEWS = anyOf(
  /what.?s new|wat is er nieuw|nieuw in|wat is nuut|neuigkeiten|(was|das) ist neu|neue funktionen/,
  /quoi de neuf|nouveaut|novidades|o que há de novo|novedades|qué hay de nuevo|novetats|què hi ha de nou/,
  /novità|cosa c.?è di nuovo|ce (este|e|mai e) nou|noută[țţ]i|noutati|çfarë ka të re/,
  /vad är nytt|nyhet|nytt i|hvad er (der af )?nyt|nyhed|nyt i|hva er nytt|mitä uutta|uutta|uudet ominaisuudet|mis on uut/,
  /co (je )?nov|co nowego|čo je nov|novink|nowości|(što|šta) je nov|novost|kaj je novega|kas jauns|jaunumi|kas naujo|naujienos/,
  /что нового|новое в|що нового|нове в|новинки|какво (е )?ново|новости|што е ново|шта је ново|не жаңалық/,
  /τι νέο( υπάρχει)?|τι νέα|νέες λειτουργίες|νέα χαρακτηριστικά|τι καινούρ/,
  /yenilik|yeni ne var|neler yeni|yeni nə var|újdonság|mi új|mi az új/,
  /apa yang baru|yang baru|yang terbaru|apa yang baharu|yang baharu|nini kipya|mambo mapya|yaliyo mapya|mapya|ano.{1,4}bago/,
  /có gì mới|điểm mới|tính năng mới|มีอะไรใหม่(บ้าง)?|อะไรใหม่|สิ่งใหม่|ฟีเจอร์ใหม่|คุณสมบัติใหม่/,
  /ما (هو )?(ال)?جديد|الجديد|الميزات الجديدة|מה (ה)?חדש|חידושים/,
  /تازه ?(ها|ترین)|تازه چه|چه خبر|چه چیز(ی|های|هایی)?( در)? ?(تازه|جدید)|موارد جدید|ویژگی ?های جدید|نیا کیا|کیا نیا|نئی خصوصیات|نئے فیچرز/,
  /नया क्या|क्या नया|नई सुविधाएँ|नवीन काय|নতুন (কী|কি|যা)|(কী|কি) নতুন|নতুন বৈশিষ্ট্য|નવું શું|ਨਵਾਂ ਕੀ/,
  /புதியது என்ன|என்ன புதி|புதிதாக|புதியவை|புதிய அம்சங்கள்|కొత్తగా ఏ|కొత్తవి|ಹೊಸದೇನ|പുതിയതെന്ത|എന്താണ് പുതി/,
  /新功能|新增功能|新变化|新動態|新动态|新鲜事|新鮮事|新內容|新内容|新消息|新機能|新しい機能|最新情報|新着情報|新情報/,
  /새로운 (기능|소식|점|내용)|새 (기능|소식)|새로워진/,
);

/** The app's name, also as other scripts write it. */
const APP = anyOf(
  /whatsapp|web|واتس ?[اآ]?[بپ]|ويب|وب|ویب|ווא?טסאפ|ווב|वॉट्सऐप|व्हा?ट्स ?[ऐए]प|व्हॉट्स ?[ऐए]प|वेब/,
  /(হোয়া|ওয়া)টসঅ্যাপ|ওয়েব|வாட்ஸ்?[ஆஅ]ப்|வெப்|வலை|วอทส์?แอ[ปพ]|เว็บ|ウェブ|웹|왓츠앱|网页版?|網頁版?|веб|вотсап/,
);
/** Letters of a title beside the phrase and the app's name: more, and it is about something else. */
const MAX_OTHER_LETTERS = 8;

/** Buttons that only close a dialog. */
const CLOSE =
  wordsOf(`close fechar cerrar fermer schließen schliessen chiudi sluiten tutup закрыть kapat zamknij إغلاق اغلاق
  סגירה סגור לסגור بستن বন্ধ 关闭 關閉 閉じる 닫기 ปิด đóng κλείσιμο zavřít bezárás bezár închide închideți închideţi
  закрити stäng luk lukk sulje funga மூடு மூடுக மூடவும் zatvori zavrieť затваряне затвори zapri sulge aizvērt uždaryti
  tanca isara bağla жабу | बंद करें | بند کریں | بند کر دیں | বন্ধ করুন | বন্ধ করো`);
/** Those that go on from a dialog that has only news. */
const GO_ON = wordsOf(`continue continuar continuer weiter fortfahren continua doorgaan verder lanjutkan lanjut teruskan
  продолжить далее devam kontynuuj dalej متابعة المتابعة استمرار המשך להמשיך ادامه 继续 繼續 続ける 続行 次へ 계속
  계속하기 ต่อไป ดำเนินการต่อ συνέχεια pokračovat pokračovať folytatás tovább continuă continuați continuaţi продовжити
  далі fortsätt fortsæt fortsett jatka endelea தொடரவும் தொடர் தொடர்க nastavi продължаване напред настави nadaljuj jätka
  turpināt tęsti magpatuloy ok okay oke ок verstanden entendido entendi compris begrepen tamam anladım mengerti понятно
  хорошо зрозуміло rozumiem حسنًا حسنا موافق فهمت אישור הבנתי בסדר باشه 确定 確定 知道了 我知道了 好的 好 了解
  わかりました 확인 ตกลง เข้าใจแล้ว εντάξει rozumím rozumiem értem rendben forstået uppfattat selvä skjønner sawa சரி
  புரிந்தது | got it | ok got it | जारी रखें | आगे बढ़ें | devam et | ga verder | جاری رکھیں | ادامه دادن | متوجه شدم |
  ٹھیک ہے | চালিয়ে যান | চালিয়ে যান | এগিয়ে যান | এগিয়ে যান | ঠিক আছে | ठीक है | समझ गया | tiếp tục | đã hiểu |
  j'ai compris | ho capito | am înțeles | jag förstår | το κατάλαβα | davam et`);

/** Texts of a log-out, or of the end of a link. */
const LOG_OUT = anyOf(
  /log(ged|ging|s)?[ -]?out|sign(ed|ing|s)?[ -]?out|unlink|ab(zu|ge)?meld|auslogg|ausgeloggt|uit ?(te )?log|afmeld|ontkoppel/,
  /déconne|dissoci|sesi[oó]n|sessão|sessió|desvincul|desconect|desconnect|da conta|disconn|scolleg|deconect|deautentific/,
  /logga(s|t|r|de|des)? ut|utlogg|log(ge|ges|get|ger)? ud|logg(e|es|et|er)? ut|ulos|logi(da)? välja|odhl[aá]|wylog|odjav|одјав/,
  /выйти|выход|вийти|вихід|отвяза|разлогин|изход|излез|atteik|izrakst|iziet|atsijung|шығу|αποσ[υύ]νδ|çikiş|oturum|çixiş/,
  /kijelentkez|leválaszt|keluar|putuskan|ondoka|toka kwenye|đăng xuất|hủy liên kết|ออกจากระบบ|ล็อก ?เอา|ยกเลิกการเชื่อม/,
  /خروج|إلغاء (ال)?ربط|התנתק|ניתוק|יציאה|لاگ ?آ|ان ?لنک|लॉग ?आउट|अनलिंक|লগ ?আউট|আনলিঙ্ক|வெளியேற|லாக் ?அவுட்/,
  /退出登|登出|注销|註銷|取消(关联|連結|链接)|ログアウト|サインアウト|リンク.?解除|로그 ?아웃|연결 ?해제/,
);

/** How the page names its icon of a cross, in the text or in an attribute of a button. */
const CLOSE_ICON = /^(wds-)?(ic-)?(x|close)(-[a-z]+)*$/;
const ICON = /^[a-z0-9]+(-[a-z0-9]+)+$/;

/** A button of a dialog. */
export interface DialogButton {
  /** What it shows or is named, as in `aria-label`: none, or several. */
  readonly labels: readonly string[];
  /** Its test id names it as the button that closes the news. */
  readonly closesNews: boolean;
}

/** The page's own words for its buttons, in the language of the account. */
export interface PageWords {
  readonly close: readonly string[];
  readonly goOn: readonly string[];
}

/** What a dialog shows. */
export interface DialogTexts<B extends DialogButton = DialogButton> {
  /** The texts of its headings, in parts: each icon has one of its own. */
  readonly headings: readonly (readonly string[])[];
  readonly text: string;
  readonly buttons: readonly B[];
}

/**
 * The ways to close a dialog, in the order to try them: a button, or Escape. Empty for one that is to be left open.
 *
 * - No dialog is closed that has a word for logging out.
 * - "What's new", by its title or a button's test id, is closed by a button with a known name.
 * - In a dialog with another title, only a cross or a button named "Close" is pressed, beside another button. In the
 *   page's source, these close any dialog without a further effect, and those that log out by themselves (terms of
 *   service, notices, errors) have neither a title nor such a button. The other button may accept terms, or log out in a
 *   language that is not known here.
 */
export function waysToClose<B extends DialogButton>(
  { headings, text, buttons }: DialogTexts<B>,
  own: PageWords = { close: [], goOn: [] },
): readonly (B | 'escape')[] {
  const isClose = (label: string) => CLOSE_ICON.test(label) || isOneOf(CLOSE, own.close, label);
  const isGoOn = (label: string) => isOneOf(GO_ON, own.goOn, label);
  const labels = buttons.flatMap((button) => button.labels);
  if ([text, ...labels].some((one) => LOG_OUT.test(plain(one)))) return [];
  const closing = buttons.filter((button) => isNamed(button, isClose));
  const isNews = buttons.some(({ closesNews }) => closesNews) || headings.some((parts) => isNewsTitle(parts));
  if (!isNews) return headings.length > 0 && buttons.length > 1 && closing.length === 1 ? closing : [];
  const goingOn = buttons.filter((button) => button.closesNews || isNamed(button, isGoOn));
  const known = [...new Set([...goingOn, ...closing])];
  return known.length === buttons.length ? [...known, 'escape'] : known;
}

/** All names of a button have to be known ones. */
function isNamed({ labels }: DialogButton, isKnown: (label: string) => boolean): boolean {
  // The name that is read aloud may be in a language that is not known here, but a cross is one.
  return (
    labels.some((label) => CLOSE_ICON.test(label) && isKnown(label)) || (labels.length > 0 && labels.every(isKnown))
  );
}

function isOneOf(known: ReadonlySet<string>, own: readonly string[], label: string): boolean {
  return known.has(plain(label)) || own.some((word) => plain(word) === plain(label));
}

function isNewsTitle(parts: readonly string[]): boolean {
  const title = plain(parts.filter((part) => !ICON.test(part.trim())).join(' '));
  // Some languages have the name in the middle.
  const phrase = plain(title.replace(new RegExp(APP, 'g'), ' '));
  const others = phrase.replace(NEWS, '').match(/\p{L}/gu) ?? [];
  return NEWS.test(phrase) && others.length <= MAX_OTHER_LETTERS;
}

/** In lower case, composed, without punctuation, digits or marks of direction, and with single spaces. */
function plain(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/ı|i\u0307/g, 'i') // As capitals, the two letters of Turkish are in part those of English.
    .replace(/[^\p{L}\p{M}\s]/gu, '')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Words, and after a bar a phrase each. */
function wordsOf(list: string): ReadonlySet<string> {
  const [words = '', ...phrases] = list.split('|');
  return new Set([...words.split(/\s+/), ...phrases].map(plain).filter((word) => word !== ''));
}

/** A text that is matched is composed: so are the patterns, whatever an editor makes of this file. */
function anyOf(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source.normalize('NFC')).join('|'));
}

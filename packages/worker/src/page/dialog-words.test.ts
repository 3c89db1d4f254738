import { describe, expect, it } from 'vitest';
import { waysToClose } from './dialog-words.ts';

const CROSS = 'ic-close';

function waysOf(title: string | undefined, buttons: readonly (string | readonly string[])[], body = ''): string[] {
  const texts = buttons.flat().join(' ');
  const ways = waysToClose({
    headings: title === undefined ? [] : [['wds-picto-whatsapp-outline', title, CROSS]],
    text: `${title ?? ''} ${body} ${texts}`,
    buttons: buttons.map((labels) => ({ labels: [labels].flat(), closesNews: false })),
  });
  return ways.map((way) => (way === 'escape' ? way : (way.labels[0] ?? '')));
}

describe('the dialog "What\'s new"', () => {
  it.each([
    ['English', 'What’s new on WhatsApp Web', 'Close', 'Continue'],
    ['English', "What's new", 'Close', 'OK, got it'],
    ['Arabic', 'ما الجديد في واتساب ويب', 'إغلاق', 'متابعة'],
    ['Hebrew', 'מה חדש ב-WhatsApp Web', 'סגירה', 'המשך'],
    ['Persian', 'تازه‌های واتساپ وب', 'بستن', 'ادامه'],
    ['Persian', 'چه چیزی در واتس‌اپ وب جدید است', 'بستن', 'ادامه'],
    ['Urdu', 'WhatsApp Web پر نیا کیا ہے', 'بند کریں', 'جاری رکھیں'],
    ['Bengali', 'WhatsApp ওয়েবে নতুন কী আছে', 'বন্ধ করুন', 'চালিয়ে যান'],
    ['Chinese, simplified', 'WhatsApp 网页版的新功能', '关闭', '继续'],
    ['Chinese, traditional', 'WhatsApp 網頁版的最新功能', '關閉', '繼續'],
    ['Japanese', 'WhatsApp Webの新機能', '閉じる', '続ける'],
    ['Korean', 'WhatsApp Web의 새로운 기능', '닫기', '계속'],
    ['Thai', 'มีอะไรใหม่ใน WhatsApp Web', 'ปิด', 'ดำเนินการต่อ'],
    ['Vietnamese', 'Có gì mới trên WhatsApp Web', 'Đóng', 'Tiếp tục'],
    ['Greek', 'Τι νέο υπάρχει στο WhatsApp Web', 'Κλείσιμο', 'Συνέχεια'],
    ['Czech', 'Co je nového ve WhatsApp Webu', 'Zavřít', 'Pokračovat'],
    ['Hungarian', 'Újdonságok a WhatsApp Webben', 'Bezárás', 'Folytatás'],
    ['Romanian', 'Ce este nou pe WhatsApp Web', 'Închide', 'Continuă'],
    ['Ukrainian', 'Що нового у WhatsApp Web', 'Закрити', 'Продовжити'],
    ['Swedish', 'Nyheter i WhatsApp Web', 'Stäng', 'Fortsätt'],
    ['Danish', 'Nyheder i WhatsApp Web', 'Luk', 'Fortsæt'],
    ['Finnish', 'Mitä uutta WhatsApp Webissä', 'Sulje', 'Jatka'],
    ['Malay', 'Apa yang baharu di WhatsApp Web', 'Tutup', 'Teruskan'],
    ['Swahili', 'Nini kipya kwenye WhatsApp Web', 'Funga', 'Endelea'],
    ['Tamil', 'WhatsApp Web-இல் புதியது என்ன', 'மூடுக', 'தொடரவும்'],
    ['German', 'Neuigkeiten bei WhatsApp Web', 'Schließen', 'Weiter'],
    ['French', 'Quoi de neuf sur WhatsApp Web ?', 'Fermer', 'Continuer'],
    ['Portuguese', 'Novidades no WhatsApp Web', 'Fechar', 'Continuar'],
    ['Spanish', 'Novedades de WhatsApp Web', 'Cerrar', 'Continuar'],
    ['Italian', 'Novità su WhatsApp Web', 'Chiudi', 'Continua'],
    ['Dutch', 'Wat is er nieuw in WhatsApp Web', 'Sluiten', 'Doorgaan'],
    ['Turkish', "WhatsApp Web'deki yenilikler", 'Kapat', 'Devam'],
    ['Hindi', 'WhatsApp Web पर नया क्या है', 'बंद करें', 'जारी रखें'],
    ['Indonesian', 'Yang baru di WhatsApp Web', 'Tutup', 'Lanjutkan'],
    ['Russian', 'Что нового в WhatsApp Web', 'Закрыть', 'Продолжить'],
    ['Polish', 'Co nowego w WhatsApp Web', 'Zamknij', 'Kontynuuj'],
    ['Norwegian', 'Nyheter i WhatsApp Web', 'Lukk', 'Fortsett'],
    ['Croatian', 'Što je novo u WhatsApp Webu', 'Zatvori', 'Nastavi'],
  ])('is closed in %s: %s', (_language, title, close, goOn) => {
    expect(waysOf(title, [close, goOn])).toEqual([goOn, close, 'escape']);
    expect(waysOf(title, [goOn])).toEqual([goOn, 'escape']);
    expect(waysOf(title.toUpperCase(), [close])).toEqual([close, 'escape']);
    expect(waysOf(title, [[close, CROSS], 'Μια άλλη λέξη'])).toEqual([close]);
  });

  it('is closed by buttons with the words of the page, in any language', () => {
    const [close, goOn] = ['დახურვა', 'გაგრძელება'].map((label) => ({ labels: [label], closesNews: false }));
    const buttons = [close, goOn].flatMap((button) => button ?? []);
    const own = { close: ['დახურვა'], goOn: ['გაგრძელება'] };
    expect(waysToClose({ headings: [['What’s new']], text: '', buttons }, own)).toEqual([goOn, close, 'escape']);
    expect(waysToClose({ headings: [['სიახლეები']], text: '', buttons }, own)).toEqual([close]);
    expect(waysToClose({ headings: [['სიახლეები']], text: '', buttons })).toEqual([]);
  });

  it('is closed by the button with the test id of the news, whatever its name', () => {
    const button = { labels: ['გაგრძელება'], closesNews: true };
    expect(waysToClose({ headings: [], text: 'სიახლეები', buttons: [button] })).toEqual([button, 'escape']);
  });
});

describe('a dialog with another title', () => {
  it.each([
    ['a cross and a button', 'სიახლეები WhatsApp Web-ზე', [['დახურვა', CROSS], 'გაგრძელება'], 'დახურვა'],
    ['a button named Close and another one', 'A better way to chat', ['Close', 'Try it'], 'Close'],
  ])('is closed by %s', (_what, title, buttons, pressed) => {
    expect(waysOf(title, buttons)).toEqual([pressed]);
  });

  it.each<[string, string | undefined, (string | string[])[]]>([
    ['has two buttons of which none only closes it', 'სიახლეები WhatsApp Web-ზე', ['გასვლა', 'გაგრძელება']],
    ['has terms to accept', 'Updated terms of service', ['Not now', 'I agree']],
    ['goes on in a language that is known, with terms', 'Novidades nos Termos de Serviço', ['Continuar', 'Depois']],
    ['has a choice', 'WhatsApp will refresh in 1 min', ['OK', 'Refresh now']],
    ['has only one button', 'Your storage is full', ['Close']],
    ['has no title, as terms and notices', undefined, ['Close', 'Continue']],
    ['has two that close', 'A survey', [[CROSS], 'Close', 'Start']],
    ['has a check with a passkey', 'Quick security check with Passkey', ['Log out of WhatsApp Web', 'Continue']],
  ])('stays open if it %s', (_what, title, buttons) => {
    expect(waysOf(title, buttons)).toEqual([]);
  });
});

const LOG_OUT = `Log out|Sign out|Abmelden|Ausloggen|Déconnexion|Se déconnecter|Cerrar sesión|Sair da conta|Desconectar
  |Disconnetti|Uitloggen|Keluar|Log keluar|Выйти|Вийти|लॉग आउट करें|Çıkış yap|Oturumu kapat|Wyloguj się|تسجيل الخروج|התנתקות
  |خروج از سیستم|لاگ آؤٹ|লগ আউট করুন|退出登录|登出|ログアウト|로그아웃|ออกจากระบบ|Đăng xuất|Αποσύνδεση|Odhlásit se
  |Kijelentkezés|Deconectare|Logga ut|Log ud|Kirjaudu ulos|Logg ut|Ondoka|வெளியேறு|Odjavi se|Изход|Logi välja
  |Atsijungti`;

describe('a dialog with a word for logging out', () => {
  it.each(LOG_OUT.split('|').map((word) => word.trim()))('is left open, whatever its title: %s', (word) => {
    for (const buttons of [[word], [word, 'Continue'], ['Close', word.toUpperCase()], [[CROSS], word]])
      for (const title of ['What’s new on WhatsApp Web', 'Another title']) expect(waysOf(title, buttons)).toEqual([]);
  });

  it('is left open if its text has the word, or its only button an unknown name', () => {
    expect(waysOf("What's new", ['Continue'], 'You will be logged out of this device.')).toEqual([]);
    expect(waysOf("What's new", ['Continue'], 'Dieses Gerät wird abgemeldet.')).toEqual([]);
    expect(waysOf("What's new", ['გასვლა'])).toEqual([]);
  });
});

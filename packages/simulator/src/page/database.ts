const name = 'wawc';

/** The stores of the page's database, which lives in the browser's profile. */
export type StoreName = 'link' | 'outbox';

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(name, 1);
  request.onupgradeneeded = () => {
    request.result.createObjectStore('link');
    request.result.createObjectStore('outbox');
  };
  return finished(request);
}

const opened = open();

/** All that a store holds, in the order of its keys. */
export async function readAll<T>(store: StoreName): Promise<T[]> {
  const transaction = (await opened).transaction(store, 'readonly');
  return finished(transaction.objectStore(store).getAll()) as Promise<T[]>;
}

/** Resolves when the value is on the disk: a browser that is killed right after must not forget it. */
export async function write(store: StoreName, key: string, value: unknown): Promise<void> {
  await change(store, (objects) => objects.put(value, key));
}

export async function remove(store: StoreName, key: string): Promise<void> {
  await change(store, (objects) => objects.delete(key));
}

export async function clear(store: StoreName): Promise<void> {
  await change(store, (objects) => objects.clear());
}

async function change(store: StoreName, act: (objects: IDBObjectStore) => void): Promise<void> {
  const transaction = (await opened).transaction(store, 'readwrite', { durability: 'strict' });
  act(transaction.objectStore(store));
  await new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
}

function finished<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

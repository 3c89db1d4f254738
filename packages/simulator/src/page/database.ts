const NAME = 'wawc';
const STORES = ['link', 'outbox', 'keys'] as const;

/** The stores of the page's database, which lives in the browser's profile. */
export type StoreName = (typeof STORES)[number];

function open(): Promise<IDBDatabase> {
  const request = indexedDB.open(NAME, 2);
  request.onupgradeneeded = () => {
    const present = request.result.objectStoreNames;
    for (const store of STORES) if (!present.contains(store)) request.result.createObjectStore(store);
  };
  return finished(request);
}

const opened = open();

/** All values of a store, in the order of its keys. */
export async function readAll<T>(store: StoreName): Promise<T[]> {
  const transaction = (await opened).transaction(store, 'readonly');
  return finished(transaction.objectStore(store).getAll()) as Promise<T[]>;
}

/** Resolves when the value is on the disk: a browser that is killed right after must not lose it. */
export async function write(store: StoreName, key: string, value: unknown): Promise<void> {
  await change(store, (objects) => objects.put(value, key));
}

export async function remove(store: StoreName, key: string): Promise<void> {
  await change(store, (objects) => objects.delete(key));
}

export async function clear(store: StoreName): Promise<void> {
  await change(store, (objects) => objects.clear());
}

/** Increments a number, 0 if there is none; resolves with it once it is on the disk. */
export async function increment(store: StoreName, key: string): Promise<number> {
  let count = 0;
  // Within one transaction: another tab of this profile may do the same.
  await change(store, (objects) => {
    const found = objects.get(key);
    found.onsuccess = () => {
      count = ((found.result as number | undefined) ?? 0) + 1;
      objects.put(count, key);
    };
  });
  return count;
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

import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { KubeObject } from '../resources/kube-object.js';
import { FileJournal } from './file.journal.js';
import { ObjectStore } from './object.store.js';

const object = (name: string, spec?: unknown): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, namespace: 'n' },
  ...(spec !== undefined && { spec }),
});

let folder: string;
let warnings: string[];
const logger = { debug: () => {}, log: () => {}, warn: (message: string) => warnings.push(message), error: () => {} };
const open = (compactFrom?: number): ObjectStore => {
  const store = new ObjectStore(new FileJournal(folder, logger, compactFrom), 1000);
  store.open();
  return store;
};
const path = (): string => join(folder, 'objects.journal');
const names = (store: ObjectStore): string[] =>
  store
    .collection('things')
    .list()
    .map(({ name }) => name);

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'journal-'));
  warnings = [];
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe('FileJournal', () => {
  it('should bring everything back, with revisions and history', () => {
    const store = open();
    const a = store.create('things', object('a'));
    const b = store.create('things', object('b'));
    store.update('things', a, object('a', { text: 'ä\n"' }));
    store.delete('things', b);
    store.close();
    const restored = open();
    expect(restored.revision).toBe(5);
    expect(names(restored)).toEqual(['a']);
    expect(restored.collection('things').get('n', 'a')).toMatchObject({
      revision: 4,
      object: { spec: { text: 'ä\n"' } },
    });
    const events = restored
      .collection('things')
      .history.since(1)
      .map(({ type, current }) => `${type} ${current.name}`);
    expect(events).toEqual(['ADDED a', 'ADDED b', 'MODIFIED a', 'DELETED b']);
    restored.close();
    expect(warnings).toEqual([]);
  });

  it('should drop a torn last record at any place, with a warning, and nothing else', () => {
    const store = open();
    store.create('things', object('a'));
    const kept = statSync(path()).size;
    store.create('things', object('b'));
    store.close();
    const whole = readFileSync(path());
    for (let length = kept + 1; length < whole.length; length += 7) {
      writeFileSync(path(), whole.subarray(0, length));
      warnings = [];
      const restored = open();
      expect(names(restored)).toEqual(['a']);
      expect(warnings).toHaveLength(1);
      restored.create('things', object('c'));
      restored.close();
      const again = open();
      expect(names(again)).toEqual(['a', 'c']);
      again.close();
      expect(warnings).toHaveLength(1);
    }
  });

  it.each([
    ['that was emptied', 0, 'it is empty, so what was in it is lost'],
    ['whose header is torn', 10, 'its first line is not readable'],
  ])('should refuse a journal %s by its name, again and again', (_name, length, problem) => {
    const store = open();
    store.create('things', object('a'));
    store.close();
    truncateSync(path(), length);
    for (let attempt = 1; attempt <= 2; attempt++) {
      expect(() => open()).toThrow(
        `${path()} is damaged: ${problem}; restore it, or remove the file to begin without objects`,
      );
    }
    rmSync(path());
    open().close();
  });

  it.each([
    'null',
    '5',
    '{"r":2,"c":"things"}',
    '{"r":"2","c":"things","o":{"metadata":{}}}',
    '{"r":2,"c":"things","o":{}}',
  ])('should refuse a journal with the record %s', (line) => {
    open().close();
    appendFileSync(path(), `${line}\n`);
    expect(() => open()).toThrow(/damaged: line 2/);
  });

  it('should refuse a journal that is damaged before its end', () => {
    const store = open();
    store.create('things', object('a'));
    store.close();
    appendFileSync(path(), '{"r":3,"c":"thi\n{"r":4}\n');
    expect(() => open()).toThrow(/damaged: line 3/);
  });

  it('should refuse a file of another kind', () => {
    writeFileSync(path(), '{"some":"json"}\n');
    expect(() => open()).toThrow(/not a journal/);
  });

  it('should read a journal of version 0.1.0, whose format is 1', () => {
    const lines = [
      '{"journal":"embedded-kube","format":1,"revision":7}',
      '{"r":3,"c":"things","o":{"apiVersion":"v1","kind":"Thing","metadata":{"name":"a","namespace":"n"},"spec":"\\u00e4"}}',
      '{"r":8,"c":"things","o":{"apiVersion":"v1","kind":"Thing","metadata":{"name":"b","namespace":"n"},"spec":9007199254740993}}',
      '{"r":9,"c":"things","d":1,"o":{"apiVersion":"v1","kind":"Thing","metadata":{"name":"a","namespace":"n"},"spec":"\\u00e4"}}',
    ];
    writeFileSync(path(), `${lines.join('\n')}\n`);
    const restored = open();
    expect([restored.revision, names(restored)]).toEqual([9, ['b']]);
    expect(restored.collection('things').get('n', 'b')!.object['spec']).toBe(9007199254740993n);
    expect(restored.collection('things').history.covers(7)).toBe(true);
    expect(restored.collection('things').history.covers(6)).toBe(false);
    restored.close();
    expect(warnings).toEqual([]);
  });

  it('should say of a journal of a later format that a later version has written it', () => {
    writeFileSync(path(), '{"journal":"embedded-kube","format":2,"revision":7}\n');
    expect(() => open()).toThrow(`${path()} is of format 2, and this version of embedded-kube reads format 1`);
  });

  it('should rewrite itself when it has grown, and keep what is live', () => {
    const store = open(10_000);
    let current = store.create('things', object('a', 0));
    const other = store.create('things', object('gone'));
    store.delete('things', other);
    for (let index = 1; index <= 2000; index += 1) current = store.update('things', current, object('a', index));
    const revision = store.revision;
    store.close();
    expect(statSync(path()).size).toBeLessThan(30_000);
    const restored = open();
    expect(restored.revision).toBe(revision);
    expect(names(restored)).toEqual(['a']);
    expect(restored.collection('things').get('n', 'a')!.object['spec']).toBe(2000);
    expect(restored.collection('things').history.covers(2)).toBe(false);
    restored.close();
  });

  it('should not let two processes write into one folder', () => {
    writeFileSync(join(folder, 'lock'), `${process.ppid}\n`);
    expect(() => open()).toThrow(new RegExp(`in use by process ${process.ppid}`));
  });

  it('should not let one process write into one folder twice', () => {
    const store = open();
    expect(() => open()).toThrow(new RegExp(`in use by process ${process.pid}`));
    store.close();
    open().close();
  });

  it('should take over the lock of a process whose number another one has by now', () => {
    writeFileSync(join(folder, 'lock'), `${process.ppid} another-boot/5\n`);
    open().close();
    writeFileSync(join(folder, 'lock'), `${process.pid} another-boot/5\n`);
    open().close();
  });

  it('should take over the lock of a process that is gone', () => {
    writeFileSync(join(folder, 'lock'), '4194304999\n');
    open().close();
  });
});

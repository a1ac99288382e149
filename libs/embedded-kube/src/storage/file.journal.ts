import { closeSync, existsSync, fsyncSync, ftruncateSync, mkdirSync, openSync, readSync, renameSync } from 'node:fs';
import { writeSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '../resources/kube-object.js';
import type { Logger } from '../common/logger.js';
import { parseJson } from 'kube-common';
import { isMapping, mapping } from '../common/json.values.js';
import type { Journal, JournalVisitor } from './journal.js';
import { FolderLock } from './folder.lock.js';
import { readLines } from './line.reader.js';
import type { StoredObject } from './stored.object.js';

/** The size under which a journal is not worth rewriting, in bytes. */
const SMALL = 16 * 1024 * 1024;

/** The format that is written. A later format has another number, and its version reads this one, too: folders outlive versions. */
const FORMAT = 1;

interface JournalHeader {
  readonly journal: 'embedded-kube';
  readonly format: typeof FORMAT;
  /** The last revision of the states that the file begins with. */
  readonly revision: number;
}

/** A change: `r` revision, `c` collection, `d` present if deleted, `o` the object. */
interface JournalRecord {
  readonly r: number;
  readonly c: string;
  readonly d?: 1;
  readonly o: KubeObject;
}

/**
 * A journal in a folder: `objects.journal`, one JSON text a line, appended to with one write a change.
 *
 * What was written survives the end of the process at any moment (not the loss of power: it is not synced). A torn last line,
 * left by a process that died while writing, was never acknowledged: it is cut off with a warning. Anything else that
 * cannot be read is an error, as what follows it would be lost.
 */
export class FileJournal implements Journal {
  private readonly path: string;
  private readonly lock: FolderLock;
  private file = -1;
  private size = 0;
  private sizeWhenCompact = 0;

  /** @param smallSize the size under which the journal is not rewritten, in bytes */
  constructor(
    private readonly folder: string,
    private readonly logger: Logger,
    private readonly smallSize = SMALL,
  ) {
    this.path = join(folder, 'objects.journal');
    this.lock = new FolderLock(folder);
  }

  replay(visitor: JournalVisitor): void {
    mkdirSync(this.folder, { recursive: true });
    this.lock.acquire();
    try {
      if (!existsSync(this.path)) this.begin();
      this.file = openSync(this.path, 'a+', 0o600);
      this.size = this.read(visitor);
      this.sizeWhenCompact = this.size;
    } catch (error) {
      this.close();
      throw error;
    }
  }

  append(collection: string, object: StoredObject, deleted: boolean): void {
    this.write(record(collection, object, deleted));
  }

  compact(revision: number, live: () => Iterable<readonly [string, StoredObject]>): void {
    if (this.size < this.smallSize + 2 * this.sizeWhenCompact) return;
    try {
      this.rewrite(revision, live);
    } catch (error) {
      // The old journal is whole, so it stays in use.
      this.logger.warn(`Cannot rewrite ${this.path}: ${String(error)}`);
      this.sizeWhenCompact = this.size;
    }
  }

  rewrite(revision: number, live: () => Iterable<readonly [string, StoredObject]>): void {
    const old = { file: this.file, size: this.size };
    const temporary = `${this.path}.new`;
    try {
      this.file = openSync(temporary, 'w', 0o600);
      this.size = 0;
      this.writeHeader(revision);
      for (const batch of batches(live(), 1 << 20)) this.write(batch);
      fsyncSync(this.file);
      renameSync(temporary, this.path);
      closeSync(old.file);
    } catch (error) {
      if (this.file !== old.file) closeSync(this.file);
      Object.assign(this, old);
      throw error;
    }
    this.sizeWhenCompact = this.size;
  }

  close(): void {
    if (this.file >= 0) closeSync(this.file);
    this.file = -1;
    this.lock.release();
  }

  /** Makes an empty journal, which is whole from the first moment on: a file of no bytes has lost its content. */
  private begin(): void {
    const temporary = `${this.path}.new`;
    this.file = openSync(temporary, 'w', 0o600);
    this.writeHeader(1);
    closeSync(this.file);
    this.file = -1;
    this.size = 0;
    renameSync(temporary, this.path);
  }

  private writeHeader(revision: number): void {
    const header: JournalHeader = { journal: 'embedded-kube', format: FORMAT, revision };
    this.write(`${JSON.stringify(header)}\n`);
  }

  private write(line: string): void {
    const bytes = Buffer.from(line);
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(this.file, bytes, written);
    } catch (error) {
      // A half record in the middle would make the rest unreadable.
      ftruncateSync(this.file, this.size);
      throw error;
    }
    this.size += bytes.length;
  }

  private read(visitor: JournalVisitor): number {
    let end = 0;
    let number = 0;
    for (const { line, complete, bytes } of readLines((buffer) => readSync(this.file, buffer))) {
      number += 1;
      const value = complete ? parse(line) : undefined;
      if (number === 1) this.readHeader(value, visitor);
      else if (isRecord(value)) visitor.change(value.c, value.o, value.r, value.d === 1);
      else {
        if (complete) throw this.damaged(`line ${number} is not readable`);
        this.logger.warn(
          `Dropped a torn record of ${bytes} bytes at the end of ${this.path}; it was never acknowledged.`,
        );
        ftruncateSync(this.file, end);
        break;
      }
      end += bytes;
    }
    if (number === 0) throw this.damaged('it is empty, so what was in it is lost');
    return end;
  }

  private readHeader(value: unknown, visitor: JournalVisitor): void {
    if (value === undefined) throw this.damaged('its first line is not readable');
    const { journal, format, revision } = mapping(value) as Partial<JournalHeader>;
    if (journal !== 'embedded-kube') throw new Error(`${this.path} is not a journal of embedded-kube`);
    if (format !== FORMAT) {
      const problem = `${this.path} is of format ${String(format)}, and this version of embedded-kube reads format ${FORMAT}`;
      throw new Error(`${problem}: start the version that has written it, or remove the file to begin without objects`);
    }
    if (!Number.isSafeInteger(revision)) throw this.damaged('its first line names no revision');
    visitor.base(revision!);
  }

  private damaged(problem: string): Error {
    return new Error(`${this.path} is damaged: ${problem}; restore it, or remove the file to begin without objects`);
  }
}

function isRecord(value: unknown): value is JournalRecord {
  const { r, c, o } = mapping(value);
  return Number.isSafeInteger(r) && typeof c === 'string' && isMapping(o) && isMapping(o['metadata']);
}

function* batches(objects: Iterable<readonly [string, StoredObject]>, size: number): Generator<string> {
  let batch = '';
  for (const [collection, object] of objects) {
    batch += record(collection, object, false);
    if (batch.length < size) continue;
    yield batch;
    batch = '';
  }
  yield batch;
}

function record(collection: string, object: StoredObject, deleted: boolean): string {
  return `{"r":${object.revision},"c":${JSON.stringify(collection)},${deleted ? '"d":1,' : ''}"o":${object.json}}\n`;
}

function parse(line: string): unknown {
  try {
    return parseJson(line);
  } catch {
    return undefined;
  }
}

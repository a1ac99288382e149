// patching: JSON patches, merge patches and strategic merge patches on plain JSON.
// Pure functions from a document and a patch to a document; which object is patched is the machinery's business.
// May import: common.

import { JsonPatchError } from './patch.error.js';
import {
  addChild,
  findContainer,
  getChild,
  type JsonContainer,
  parsePointer,
  removeChild,
  replaceChild,
} from './json.pointer.js';
import { stringifyJson } from 'kube-common';
import { isJsonObject, jsonEqual, type JsonObject, jsonTypeName } from '../common/json.values.js';

const MAX_OPERATIONS = 10_000;
/** The most that the copies of a patch may add to an object, in characters: each may double it. */
const COPY_LIMIT = 3 * 1024 * 1024;

/**
 * Applies a JSON patch (RFC 6902) and returns the result; the target stays as it is, and only the containers on the patched paths are copied.
 *
 * The real server's leniency is kept: `replace` sets a member that does not exist, `test` takes a missing member for null,
 * negative indices count from the end, `add` without a value adds null.
 *
 * @throws JsonPatchError with the real server's message and status code
 */
export function applyJsonPatch(target: unknown, operations: unknown): unknown {
  const document = new PatchedDocument(target as JsonContainer);
  for (const operation of decodeOperations(operations)) document.apply(operation);
  return document.root;
}

function decodeOperations(operations: unknown): JsonObject[] {
  if (operations === null) return [];
  if (!Array.isArray(operations)) {
    throw decodingError(operations, '[]handlers.jsonPatchOp');
  }
  if (operations.length > MAX_OPERATIONS) {
    throw new JsonPatchError(
      'too-large',
      413,
      `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`,
    );
  }
  return operations.map((operation: unknown) => {
    if (operation === null) return {};
    if (!isJsonObject(operation)) throw decodingError(operation, 'handlers.jsonPatchOp');
    for (const field of ['op', 'path', 'from']) {
      const value = operation[field];
      if (value !== undefined && value !== null && typeof value !== 'string') {
        throw decodingError(value, 'string', ` struct field jsonPatchOp.${field} of type string`);
      }
    }
    return operation;
  });
}

function decodingError(value: unknown, type: string, target = ` value of type ${type}`): JsonPatchError {
  return new JsonPatchError(
    'invalid',
    400,
    `error decoding patch: json: cannot unmarshal ${jsonTypeName(value)} into Go${target}`,
  );
}

class PatchedDocument {
  private readonly owned = new WeakSet<JsonContainer>();
  private copied = 0;

  constructor(public root: JsonContainer) {}

  apply(operation: JsonObject): void {
    const { op, path, from } = operation;
    switch (op) {
      case 'add':
        return this.changing(op, path, (...place) => addChild(...place, operation.value ?? null));
      case 'remove':
        return this.changing(op, path, removeChild);
      case 'replace':
        return this.replace(path, operation.value ?? null);
      case 'move':
      case 'copy': {
        const value = this.read(op, from, 'from path: ');
        if (op === 'move') this.changing(op, from, removeChild);
        else this.countCopy(value);
        return this.changing(op, path, (...place) => addChild(...place, value ?? null), 'destination path: ');
      }
      case 'test':
        return this.test(path, operation.value ?? null);
      default:
        throw new JsonPatchError('invalid', 422, `Unexpected kind: ${String(op)}`);
    }
  }

  private countCopy(value: unknown): void {
    this.copied += stringifyJson(value ?? null).length;
    if (this.copied <= COPY_LIMIT) return;
    const limit = `the accumulated size increase of copy is ${this.copied}, exceeding the limit ${COPY_LIMIT}`;
    throw new JsonPatchError('invalid', 422, `Unable to complete the copy, ${limit}`);
  }

  private replace(path: unknown, value: unknown): void {
    if (path === '') {
      if (!isJsonObject(value) && !Array.isArray(value)) {
        throw new JsonPatchError('invalid', 422, 'replace operation value must be object or array');
      }
      this.root = value;
    } else {
      this.changing('replace', path, (...place) => replaceChild(...place, value));
    }
  }

  private test(path: unknown, expected: unknown): void {
    const actual = path === '' ? this.root : (this.read('test', path, 'path: ') ?? null);
    if (!jsonEqual(actual, expected)) {
      throw new JsonPatchError('test-failed', 422, `testing value ${String(path)} failed: test failed`);
    }
  }

  private read(op: string, path: unknown, what: string): unknown {
    const tokens = this.tokens(path);
    const container = findContainer(this.root, tokens);
    if (!container || !tokens) throw missingPath(op, path, what);
    const value = explained(op, path, () => getChild(container, tokens[tokens.length - 1]));
    // A value that stands in two places must not be changed in both by a later operation.
    if (isJsonObject(value) || Array.isArray(value)) this.disown(value);
    return value;
  }

  private changing(
    op: string,
    path: unknown,
    change: (container: JsonContainer, token: string) => void,
    what = 'path: ',
  ): void {
    const place = this.writable(path);
    if (!place) throw missingPath(op, path, what);
    explained(op, path, () => change(...place));
  }

  /** Copies the containers on the way, once a patch, and returns the last of them with the last token. */
  private writable(path: unknown): [JsonContainer, string] | undefined {
    const tokens = this.tokens(path);
    if (!tokens || !findContainer(this.root, tokens)) return undefined;
    let container = (this.root = this.own(this.root));
    for (const token of tokens.slice(0, -1)) {
      const child = this.own(getChild(container, token) as JsonContainer);
      replaceChild(container, token, child);
      container = child;
    }
    return [container, tokens[tokens.length - 1]];
  }

  private own(container: JsonContainer): JsonContainer {
    if (this.owned.has(container)) return container;
    const copy = Array.isArray(container) ? [...container] : { ...container };
    this.owned.add(copy);
    return copy;
  }

  private disown(container: JsonContainer): void {
    if (!this.owned.delete(container)) return;
    for (const child of Object.values(container)) {
      if (isJsonObject(child) || Array.isArray(child)) this.disown(child);
    }
  }

  private tokens(path: unknown): string[] | undefined {
    return typeof path === 'string' ? parsePointer(path) : undefined;
  }
}

function missingPath(op: string, path: unknown, what: string): JsonPatchError {
  if (typeof path !== 'string') {
    const field = what === 'from path: ' ? 'from' : 'path';
    return new JsonPatchError('missing', 422, `${op} operation failed to decode ${field}: missing value`);
  }
  const shown = op === 'add' || op === 'remove' ? `"${path}"` : path;
  const document = op === 'test' ? '' : 'doc ';
  const detail = `${op} operation does not apply: ${document}is missing ${what}${shown}: missing value`;
  return new JsonPatchError('missing', 422, detail);
}

/** Adds to an error which operation failed, as the real server's library does. */
function explained<T>(op: string, path: unknown, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof JsonPatchError)) throw error;
    const cause = error.kind === 'missing' ? ': missing value' : '';
    throw new JsonPatchError(error.kind, 422, `error in ${op} for path: '${String(path)}': ${error.detail}${cause}`);
  }
}

import type { KopfSettings } from '../../settings/kopf.settings.js';
import { isMap } from 'kube-common';
import { REDACTED, redactObject, SECRET_FIELDS } from '../../objects/redaction.js';
import { Redactor, type RedactedFields } from '../../resources/redactor.js';
import type { Resource } from '../../resources/resources.js';

/** The pattern of names whose values must usually not be shown, in data of an unknown shape. */
const SECRETIVE = /pass(word|phrase|wd)?|secret|token|credential|private.?key|api.?key|authorization|cookie/i;

/** The depth and the number of items to which data of an unknown shape is shown. */
const LIMITS = { depth: 6, items: 100, text: 2000 };

/** The redaction of all answers: without values of Secrets, and of the fields that options name. */
export class OperatorConcealment {
  readonly redactor: Redactor;

  constructor({ redaction }: Pick<KopfSettings, 'redaction'>, own: readonly RedactedFields[]) {
    const combined = { source: redaction.fields, fields: [...redaction.fields, ...own] };
    this.redactor = new Redactor({
      // Startup handlers may change the settings.
      get fields() {
        if (combined.source !== redaction.fields) {
          combined.source = redaction.fields;
          combined.fields = [...redaction.fields, ...own];
        }
        return combined.fields;
      },
    });
  }

  /** Redacts the text of a handler's error if objects of the resource have redacted values, which the error can quote. */
  error(resource: Resource | undefined, text: string | undefined): string | undefined {
    if (text === undefined || !resource || !this.redactor.protects(resource)) return text;
    return REDACTED;
  }

  /**
   * Copies data of users, whose shape is not known, as JSON would: to a limited depth, without values under secretive names, and without those of
   * Secrets that are kept in it.
   *
   * @param resource the resource of the object that the data belongs to. If the object has redacted values, the data can have copies under any name, so
   *   that no value of it is shown.
   */
  data(value: unknown, resource?: Resource): unknown {
    return this.copy(value, resource !== undefined && this.redactor.protects(resource), 0);
  }

  private copy(value: unknown, isProtected: boolean, depth: number): unknown {
    if (typeof value === 'function' || typeof value === 'symbol') return `(${typeof value})`;
    if (typeof value !== 'object' || value === null) return isProtected ? concealLeaf(value) : copyLeaf(value);
    if (depth >= LIMITS.depth) return '…';
    if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`;
    if (value instanceof Date || value instanceof Error) return isProtected ? REDACTED : copySimple(value);
    if (value instanceof Map) {
      // The keys can be values of the object, too.
      if (isProtected) return `(${value.size} entries)`;
      return this.copy(Object.fromEntries([...value].slice(0, LIMITS.items)), isProtected, depth);
    }
    if (value instanceof Set || Array.isArray(value)) {
      return [...value].slice(0, LIMITS.items).map((item) => this.copy(item, isProtected, depth + 1));
    }
    if (!isMap(value) && Object.keys(value).length === 0) return `(${value.constructor?.name ?? 'object'})`;
    const shown = isSecret(value) ? (redactObject(value, SECRET_FIELDS) as object) : value;
    const members = Object.entries(shown).slice(0, LIMITS.items);
    return Object.fromEntries(
      members.map(([name, item]) => [name, SECRETIVE.test(name) ? REDACTED : this.copy(item, isProtected, depth + 1)]),
    );
  }
}

/** Whether data is a Secret, as handlers read it. */
function isSecret(value: object): boolean {
  return 'kind' in value && value.kind === 'Secret' && ('data' in value || 'stringData' in value);
}

function copyLeaf(value: unknown): unknown {
  if (typeof value === 'bigint') return String(value);
  return typeof value === 'string' && value.length > LIMITS.text ? `${value.slice(0, LIMITS.text)}…` : value;
}

function concealLeaf(value: unknown): unknown {
  return value === null || value === undefined || typeof value === 'boolean' ? value : REDACTED;
}

function copySimple(value: Date | Error): string | null {
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  return Number.isNaN(value.getTime()) ? null : value.toISOString();
}

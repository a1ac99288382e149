import type { KopfSettings } from '../../settings/kopf.settings.js';
import { isMap } from 'kube-common';
import { REDACTED } from '../../objects/redaction.js';
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

  /** Copies data of users, whose shape is not known, as JSON would: to a limited depth, without values under secretive names. */
  data(value: unknown, depth = 0): unknown {
    if (typeof value === 'string') return value.length > LIMITS.text ? `${value.slice(0, LIMITS.text)}…` : value;
    if (typeof value === 'bigint') return String(value);
    if (typeof value === 'function' || typeof value === 'symbol') return `(${typeof value})`;
    if (typeof value !== 'object' || value === null) return value;
    if (depth >= LIMITS.depth) return '…';
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
    if (value instanceof Error) return `${value.name}: ${value.message}`;
    if (ArrayBuffer.isView(value)) return `(${value.byteLength} bytes)`;
    if (value instanceof Map) return this.data(Object.fromEntries([...value].slice(0, LIMITS.items)), depth);
    if (value instanceof Set || Array.isArray(value)) {
      return [...value].slice(0, LIMITS.items).map((item) => this.data(item, depth + 1));
    }
    if (!isMap(value) && Object.keys(value).length === 0) return `(${value.constructor?.name ?? 'object'})`;
    const members = Object.entries(value).slice(0, LIMITS.items);
    return Object.fromEntries(
      members.map(([name, item]) => [name, SECRETIVE.test(name) ? REDACTED : this.data(item, depth + 1)]),
    );
  }
}

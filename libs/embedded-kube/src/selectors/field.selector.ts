import { COMMON_FIELDS, SELECTABLE_FIELDS, type SelectableField } from './selectable-fields.data.js';
import { SelectorError } from './selector.error.js';

/** One requirement of a field selector. */
export interface FieldRequirement {
  /** The field's name: `metadata.name`. */
  readonly field: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** Requirements on fields, all of which must hold. */
export class FieldSelector {
  constructor(
    readonly requirements: readonly FieldRequirement[],
    private readonly fields: Readonly<Record<string, SelectableField>> = {},
  ) {}

  /** Whether every object matches. */
  get isEmpty(): boolean {
    return this.requirements.length === 0;
  }

  /**
   * Returns the same selector for one resource, with that resource's notions of fields.
   *
   * @param resource the resource that is selected from
   * @param customFields the JSON paths of a custom resource's `selectableFields`, as `spec.color` or `.spec.color`
   * @throws SelectorError if the resource cannot be selected by one of the fields
   */
  forResource(
    resource: { readonly group: string; readonly plural: string },
    customFields?: readonly string[],
  ): FieldSelector {
    const key = resource.group ? `${resource.plural}.${resource.group}` : resource.plural;
    const own = Object.hasOwn(SELECTABLE_FIELDS, key) ? SELECTABLE_FIELDS[key] : undefined;
    const fields = {
      ...COMMON_FIELDS,
      ...own,
      ...Object.fromEntries((customFields ?? []).map((path) => [path.replace(/^\./, ''), {}])),
    };
    for (const { field } of this.requirements) {
      if (Object.hasOwn(fields, field)) continue;
      const hasOwnFields = own !== undefined || customFields !== undefined;
      throw new SelectorError(unsupported(key, field, hasOwnFields));
    }
    return new FieldSelector(this.requirements, fields);
  }

  matches(object: object): boolean {
    return this.requirements.every(({ field, operator, value }) => {
      return (this.valueOf(object, field) === value) === (operator === '=');
    });
  }

  /** Returns the name that an object must have, if the selector requires one: lists of one object need no scan. */
  exactValue(field: string): string | undefined {
    return this.requirements.find((requirement) => requirement.field === field && requirement.operator === '=')?.value;
  }

  private valueOf(object: object, name: string): string {
    const { paths = [name], absent = '' } = this.fields[name] ?? {};
    for (const path of paths) {
      const value = readPath(object, path);
      if (value !== undefined && value !== null && value !== '') return String(value);
    }
    return absent;
  }
}

/** The messages about fields that cannot be selected, of resources that word them differently. */
const MESSAGES: Readonly<Record<string, (field: string) => string>> = {
  'jobs.batch': (field) => `field label ${JSON.stringify(field)} not supported for Job`,
  'resourceslices.resource.k8s.io': (field) =>
    `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${field}`,
};

function unsupported(key: string, field: string, hasOwnFields: boolean): string {
  const message = MESSAGES[key];
  if (message) return message(field);
  if (hasOwnFields) return `field label not supported: ${field}`;
  return `${JSON.stringify(field)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
}

/**
 * Parses the text of a field selector: `a.b=c`, `a.b==c`, `a.b!=c`, joined by commas, with `\` before `,`, `=` and `\` in values.
 *
 * @throws SelectorError with the real server's message
 * @example parseFieldSelector('status.phase!=Running').forResource({ group: '', plural: 'pods' }).matches(pod)
 */
export function parseFieldSelector(text: string): FieldSelector {
  const requirements: FieldRequirement[] = [];
  for (const term of splitTerms(text).sort()) {
    if (!term) continue;
    const match = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
    if (!match) throw new SelectorError(`invalid selector: '${text}'; can't understand '${term}'`);
    requirements.push({ field: match[1], operator: match[2] === '!=' ? '!=' : '=', value: unescapeValue(match[3]) });
  }
  return new FieldSelector(requirements);
}

function splitTerms(text: string): string[] {
  return text.match(/(?:\\.|[^,\\]|\\$)+/gs) ?? [];
}

function unescapeValue(text: string): string {
  return text.replaceAll(/\\(.?)|[,=]/gs, (sequence, escaped?: string) => {
    if (escaped === undefined) {
      throw new SelectorError(`invalid field selector: unescaped character in value: ${sequence.charCodeAt(0)}`);
    }
    if (escaped === '' || !'\\,='.includes(escaped)) {
      throw new SelectorError(`invalid field selector: invalid escape sequence: ${sequence}`);
    }
    return escaped;
  });
}

function readPath(object: object, path: string): unknown {
  let value: unknown = object;
  for (const part of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[part];
  }
  return value;
}

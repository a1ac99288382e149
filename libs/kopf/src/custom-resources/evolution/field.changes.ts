import { deepEqual } from 'kube-common';
import type { SchemaNode, ValidationRule } from '../schema/schema.node.js';

/** A rule that decides whether a change of one field breaks clients or stored objects. */
export interface FieldChangeRule {
  /** Describes the change, as in `from 5 to 3`; `undefined` if it breaks nothing. */
  readonly find: (old: SchemaNode, next: SchemaNode) => string | undefined;
  /** Whether the API server accepts values that violate the new limit as long as they are not changed, from Kubernetes 1.33 on. */
  readonly isRatcheted?: boolean;
  /** Whether the change breaks nothing by itself, but can hide such a change. */
  readonly isWarning?: boolean;
}

type Keyword = keyof SchemaNode;

/** Creates the rule of a limit: a maximum may only be raised or removed, a minimum only lowered or removed. */
function limit(keyword: Keyword, kind: 'maximum' | 'minimum'): FieldChangeRule {
  return {
    isRatcheted: true,
    find: (old, next) => {
      const [before, after] = [old[keyword], next[keyword]] as (number | undefined)[];
      if (after === undefined || before === after) return undefined;
      if (before === undefined) return `is ${after} now, and there was none`;
      const isNarrower = kind === 'maximum' ? after < before : after > before;
      return isNarrower ? `is ${after} now, and was ${before}` : undefined;
    },
  };
}

/** Creates the rule of a keyword that may be removed, but neither be added nor changed, as it can reject what was valid. */
function condition(keyword: Keyword, isRatcheted: boolean): FieldChangeRule {
  return {
    isRatcheted,
    find: (old, next) => {
      const [before, after] = [old[keyword], next[keyword]];
      if (after === undefined || after === false || deepEqual(before, after)) return undefined;
      return before === undefined ? `is new: ${JSON.stringify(after)}` : `has changed to ${JSON.stringify(after)}`;
    },
  };
}

/** Creates the rule of a keyword that may neither be added, nor changed, nor removed. */
function fixed(keyword: Keyword): FieldChangeRule {
  return {
    find: (old, next) => {
      const [before, after] = [old[keyword], next[keyword]];
      if (deepEqual(before, after)) return undefined;
      if (after === undefined) return `was ${JSON.stringify(before)}, and is there no more`;
      return before === undefined
        ? `is new: ${JSON.stringify(after)}`
        : `is ${JSON.stringify(after)} now, and was ${JSON.stringify(before)}`;
    },
  };
}

/** The rules on changes of fields by their names, which are those of crdify where it has them. */
export const FIELD_CHANGES: Readonly<Record<string, FieldChangeRule>> = {
  type: {
    find: (old, next) => {
      const [before, after] = [typeOf(old), typeOf(next)];
      const isWider = before === 'integer' && after === 'int-or-string';
      return before === after || isWider ? undefined : `is ${after} now, and was ${before}`;
    },
  },
  required: {
    find: (old, next) => {
      const added = (next.required ?? []).filter(
        (name) => !old.required?.includes(name) && next.properties?.[name]?.default === undefined,
      );
      return added.length > 0 ? `has more fields: ${added.join(', ')}` : undefined;
    },
  },
  enum: {
    isRatcheted: true,
    find: (old, next) => {
      if (!next.enum) return undefined;
      if (!old.enum) return 'is new, and there were no limits';
      const removed = old.enum.filter((value) => !next.enum!.some((other) => deepEqual(value, other)));
      return removed.length > 0
        ? `does not have ${removed.map((value) => JSON.stringify(value)).join(', ')} any more`
        : undefined;
    },
  },
  enumAddition: {
    isWarning: true,
    find: (old, next) => {
      const added = old.enum
        ? (next.enum ?? []).filter((value) => !old.enum!.some((other) => deepEqual(value, other)))
        : [];
      return added.length > 0
        ? `has ${added.map((value) => JSON.stringify(value)).join(', ')}, which older clients do not know`
        : undefined;
    },
  },
  default: fixed('default'),
  maximum: limit('maximum', 'maximum'),
  maxItems: limit('maxItems', 'maximum'),
  maxLength: limit('maxLength', 'maximum'),
  maxProperties: limit('maxProperties', 'maximum'),
  minimum: limit('minimum', 'minimum'),
  minItems: limit('minItems', 'minimum'),
  minLength: limit('minLength', 'minimum'),
  minProperties: limit('minProperties', 'minimum'),
  exclusiveMaximum: condition('exclusiveMaximum', true),
  exclusiveMinimum: condition('exclusiveMinimum', true),
  multipleOf: condition('multipleOf', true),
  pattern: condition('pattern', true),
  format: condition('format', true),
  uniqueItems: condition('uniqueItems' as Keyword, true),
  nullable: {
    find: (old, next) => {
      if (old.nullable && !next.nullable) return 'is not allowed any more';
      return !old.nullable && next.nullable ? 'is allowed now, which older clients do not expect' : undefined;
    },
  },
  allOf: condition('allOf', false),
  anyOf: condition('anyOf', false),
  oneOf: condition('oneOf', false),
  not: condition('not', false),
  xValidations: {
    isRatcheted: true,
    find: (old, next) => {
      // With optionalOldSelf, a rule on changes also applies to created objects.
      const textOf = ({ rule, optionalOldSelf }: ValidationRule): string =>
        optionalOldSelf ? `${rule} (optionalOldSelf)` : rule;
      const known = new Set((old['x-kubernetes-validations'] ?? []).map(textOf));
      const added = (next['x-kubernetes-validations'] ?? []).filter((rule) => !known.has(textOf(rule)));
      return added.length > 0 ? `has more rules: ${added.map(textOf).join('; ')}` : undefined;
    },
  },
  listType: {
    find: (old, next) => {
      const shapeOf = (node: SchemaNode) => [
        node['x-kubernetes-list-type'] ?? 'atomic',
        node['x-kubernetes-list-map-keys'] ?? [],
      ];
      if (old.type !== 'array' || deepEqual(shapeOf(old), shapeOf(next))) return undefined;
      return `is ${shapeOf(next).flat().join(' ')} now, and was ${shapeOf(old).flat().join(' ')}`;
    },
  },
  preserveUnknownFields: {
    find: (old, next) =>
      isOpen(old) && !isOpen(next) ? 'is not set any more, so that fields without a schema are removed' : undefined,
  },
  unhandled: {
    find: (old, next) => {
      const names = [...new Set([...Object.keys(old), ...Object.keys(next)])].filter(
        (name) => !HANDLED.has(name),
      ) as Keyword[];
      const changed = names.filter((name) => !deepEqual(old[name] || undefined, next[name] || undefined));
      return changed.length > 0 ? `has ${changed.join(', ')} changed, for which there is no other rule` : undefined;
    },
  },
  description: {
    isWarning: true,
    find: (old, next) =>
      old.description === next.description ? undefined : 'has changed; a changed meaning would break clients',
  },
};

/** The keywords that the rules above are about, those that contain further fields, and those that mean nothing to the API server. */
const HANDLED: ReadonlySet<string> = new Set(
  `type required enum default maximum maxItems maxLength maxProperties minimum minItems minLength minProperties exclusiveMaximum
  exclusiveMinimum multipleOf pattern format uniqueItems nullable allOf anyOf oneOf not description x-kubernetes-validations
  x-kubernetes-list-type x-kubernetes-list-map-keys x-kubernetes-preserve-unknown-fields x-kubernetes-int-or-string properties items
  additionalProperties title example externalDocs`.split(/\s+/),
);

function isOpen(node: SchemaNode): boolean {
  return node['x-kubernetes-preserve-unknown-fields'] === true;
}

function typeOf(node: SchemaNode): string {
  return node['x-kubernetes-int-or-string'] ? 'int-or-string' : (node.type ?? 'any');
}

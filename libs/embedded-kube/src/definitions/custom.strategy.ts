import { type FieldError, invalidField } from '../errors/field.error.js';
import type { KubeObject, Draft } from '../resources/kube-object.js';
import { subdomain } from '../resources/name.rules.js';
import type { ResourceStrategy, ObjectOrigin } from '../resources/resource.strategy.js';
import type { ScalePaths } from '../resources/served.resource.js';
import { jsonEqual, isMapping } from '../common/json.values.js';
import { RuleValidator } from './rules/rule.validator.js';
import { validateReplicas } from './scale.validator.js';
import { validateEmbeddedObjects } from './schema/embedded.object.js';
import { validateListTypes } from './schema/list-type.validator.js';
import { validateSchema } from './schema/schema.validator.js';
import { decodeStructural } from './schema/structural.codec.js';
import type { StructuralSchema } from './schema/structural.schema.js';

/** The life of custom resources. */
export class CustomStrategy implements ResourceStrategy {
  readonly nameRule = subdomain;
  readonly unconditionalUpdate = false;
  readonly returnsDeleted = false;
  private readonly contentSchema: StructuralSchema;
  private readonly embedsObjects: boolean;
  /** Whether a list is a set, or has keys. */
  private readonly typesLists: boolean;
  private compiledRules: { readonly validator: RuleValidator | undefined } | undefined;

  constructor(
    private readonly schema: StructuralSchema,
    readonly statusSubresource: boolean,
    private readonly scale?: ScalePaths,
  ) {
    const { apiVersion: _, kind: __, metadata: ___, ...properties } = schema.properties ?? {};
    const required = schema.required?.filter((name) => !['apiVersion', 'kind', 'metadata'].includes(name));
    this.contentSchema = { ...schema, properties, ...(required && { required }) };
    this.embedsObjects = someSchema(schema, (each) => each['x-kubernetes-embedded-resource'] === true);
    this.typesLists = someSchema(schema, (each) => /^(set|map)$/.test(each['x-kubernetes-list-type'] ?? ''));
  }

  decode({ apiVersion, kind, metadata, ...content }: Draft, unknown: string[], origin?: ObjectOrigin): Draft {
    // What is applied keeps its nulls, and is refused for them. Its unknown fields have been refused, or are pruned without a word.
    const isApplied = origin === 'apply';
    const decoded = decodeStructural(content, this.contentSchema, '', isApplied ? [] : unknown, isApplied) as object;
    const entries = Object.entries({ apiVersion, kind, metadata, ...decoded });
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1))) as Draft;
  }

  encode(draft: Draft): Draft {
    return draft;
  }

  prepareForCreate(draft: Draft): void {
    if (this.statusSubresource) this.resetStatus(draft);
    draft.metadata.generation = 1;
  }

  prepareForUpdate(draft: Draft, previous: KubeObject, subresource: string | undefined): void {
    if (subresource === 'status') {
      const { status } = draft;
      const { managedFields } = draft.metadata;
      for (const field of Object.keys(draft)) delete draft[field];
      Object.assign(draft, { ...previous, metadata: { ...previous.metadata } });
      if (managedFields === undefined) delete draft.metadata.managedFields;
      else draft.metadata.managedFields = managedFields;
      setStatus(draft, status);
    } else {
      if (this.statusSubresource) setStatus(draft, previous['status']);
      if (!jsonEqual(content(draft), content(previous))) {
        draft.metadata.generation = (previous.metadata.generation ?? 0) + 1;
      }
    }
  }

  validate(
    object: Draft,
    previous: KubeObject | undefined,
    warn?: (warning: string) => void,
    subresource?: string,
  ): FieldError[] {
    const isStatus = subresource === 'status';
    const errors = isStatus
      ? this.validateStatus(object, previous)
      : validateSchema(content(object), this.contentSchema, '', previous && content(previous));
    if (this.scale) errors.push(...validateReplicas(object, this.scale, isStatus));
    if (this.embedsObjects && !isStatus) errors.push(...validateEmbeddedObjects(object, this.contentSchema, ''));
    if (this.typesLists) errors.push(...this.validateLists(object, previous));
    const { rules } = this;
    if (!rules) return errors;
    if (errors.some(({ reason }) => BLOCKING_REASONS.has(reason))) return [...errors, UNCHECKED_RULES];
    return [...errors, ...rules.validate(object, previous, '', warn)];
  }

  /** Finds repetitions in sets and lists with keys, unless there were some before. */
  private validateLists(object: Draft, previous: KubeObject | undefined): FieldError[] {
    const errors = validateListTypes(content(object), this.contentSchema, '');
    const isKnown = errors.length > 0 && previous !== undefined;
    return isKnown && validateListTypes(content(previous), this.contentSchema, '').length > 0 ? [] : errors;
  }

  /** Makes the errors about a status that is written by itself, whose paths are those in the status. */
  private validateStatus(object: Draft, previous: KubeObject | undefined): FieldError[] {
    const schema = this.contentSchema.properties?.['status'];
    if (!schema || object['status'] === undefined) return [];
    const errors = validateSchema(object['status'], schema, '', previous?.['status']);
    return errors.map((error) => ({ ...error, field: inStatus(error.field) }));
  }

  /** Resets the status of a new object to the default one. */
  private resetStatus(draft: Draft): void {
    const schema = this.contentSchema.properties?.['status'];
    if (schema?.default === undefined) delete draft['status'];
    else draft['status'] = decodeStructural(schema.default, schema, 'status', []);
  }

  /** Compiled with the first object, as many definitions have none. */
  private get rules(): RuleValidator | undefined {
    this.compiledRules ??= { validator: RuleValidator.create(this.schema, true) };
    return this.compiledRules.validator;
  }
}

/** The errors after which rules are not evaluated, as they could not rely on the schema. */
const BLOCKING_REASONS = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const UNCHECKED_RULES = invalidField(
  '<nil>',
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);

/** Whether a schema, or one inside of it, passes a test. */
function someSchema(schema: StructuralSchema, test: (schema: StructuralSchema) => boolean): boolean {
  const { properties = {}, additionalProperties, items } = schema;
  const inner = [...Object.values(properties), items, additionalProperties];
  return test(schema) || inner.some((each) => typeof each === 'object' && someSchema(each, test));
}

function inStatus(field: string): string {
  if (field === '<nil>') return field;
  return field === '' || field.startsWith('[') ? `status${field}` : `status.${field}`;
}

function setStatus(draft: Draft, status: unknown): void {
  if (status === undefined) delete draft['status'];
  else draft['status'] = status;
}

function content({ apiVersion: _, kind: __, metadata: ___, ...rest }: Draft | KubeObject): object {
  return isMapping(rest) ? rest : {};
}

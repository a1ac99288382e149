/** A rule in the Common Expression Language that the API server evaluates for each object. */
export interface ValidationRule {
  /** The expression, which is true for valid values: `self.min <= self.max`. */
  readonly rule: string;
  readonly message?: string;
  /** The expression of the message: `"at most " + string(self.max)`. */
  readonly messageExpression?: string;
  /** The path of the field that the error is about: `.min`. */
  readonly fieldPath?: string;
  readonly reason?: ValidationRuleReason;
  /** Whether the rule is evaluated also when there is no old value, with `oldSelf` as an optional: `oldSelf.orValue(…)`. */
  readonly optionalOldSelf?: boolean;
}

/** The reasons that the API server can give for an error. */
export type ValidationRuleReason =
  'FieldValueInvalid' | 'FieldValueForbidden' | 'FieldValueRequired' | 'FieldValueDuplicate';

/** A structural schema of the API, or a part of it: the values that a field can have. */
export interface SchemaNode {
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  format?: string;
  title?: string;
  description?: string;
  default?: unknown;
  nullable?: boolean;
  enum?: unknown[];
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  exclusiveMinimum?: boolean;
  maximum?: number;
  exclusiveMaximum?: boolean;
  multipleOf?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  required?: string[];
  properties?: Record<string, SchemaNode>;
  additionalProperties?: SchemaNode;
  items?: SchemaNode;
  allOf?: SchemaNode[];
  anyOf?: SchemaNode[];
  oneOf?: SchemaNode[];
  not?: SchemaNode;
  'x-kubernetes-int-or-string'?: boolean;
  'x-kubernetes-preserve-unknown-fields'?: boolean;
  'x-kubernetes-embedded-resource'?: boolean;
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  'x-kubernetes-list-map-keys'?: string[];
  'x-kubernetes-map-type'?: 'atomic' | 'granular';
  'x-kubernetes-validations'?: ValidationRule[];
}

import type { DeclaredSchema } from '../../cel/values/schema.declaration.js';

/** A rule of `x-kubernetes-validations`. */
export interface ValidationRule {
  readonly rule: string;
  readonly message?: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf?: boolean;
}

/** A schema of a custom resource, as `openAPIV3Schema` holds it. */
export interface StructuralSchema extends DeclaredSchema {
  readonly nullable?: boolean;
  readonly properties?: Readonly<Record<string, StructuralSchema>>;
  readonly additionalProperties?: boolean | StructuralSchema;
  readonly items?: StructuralSchema;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly allOf?: readonly StructuralSchema[];
  readonly anyOf?: readonly StructuralSchema[];
  readonly oneOf?: readonly StructuralSchema[];
  readonly not?: StructuralSchema;
  readonly 'x-kubernetes-map-type'?: 'granular' | 'atomic';
  readonly 'x-kubernetes-validations'?: readonly ValidationRule[];
}

/**
 * From classes to CustomResourceDefinitions: decorators of classes, of their fields, and of their rules; CRDs as data; checks of rules
 * and of changes.
 *
 * @module nestjs-kopf/crd
 */

export { CustomResource } from './custom-resource.decorator.js';
export type {
  CustomResourceOptions,
  PrinterColumn,
  ScaleSubresource,
  SchemaSource,
} from './custom-resource.options.js';
export type { CrdMode, CrdOptions } from './crd.options.js';
export { CustomResourceError } from './crd.error.js';
export { findDefinitionChanges, type EvolutionOptions } from './evolution/definition.changes.js';
export type { DefinitionChange } from './evolution/version.changes.js';
export { StatusCondition } from './status.condition.js';
export { checkCustomResourceDefinition, type RuleCost } from './definition.check.js';
export { customResourceDefinition, customResourceDefinitions } from './custom-resource.definition.js';
export type { CustomResourceDefinition, CustomResourceVersion } from './definition.interface.js';
export {
  Default,
  Description,
  EmbeddedResource,
  Field,
  IntOrString,
  ListType,
  Nullable,
  PreserveUnknownFields,
  type FieldTypeOptions,
} from './field.decorators.js';
export type { FieldType } from './field.metadata.js';
export { AtMostOneOf, CelRule, ExactlyOneOf, Immutable, type CelRuleOptions } from './rule.decorators.js';
export type { SchemaNode, ValidationRule, ValidationRuleReason } from './schema/schema.node.js';
export type { StandardJsonSchema } from './schema/standard.schema.js';

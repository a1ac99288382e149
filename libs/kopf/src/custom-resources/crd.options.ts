import { ArrayNotEmpty, IsArray, IsBoolean, IsIn, IsOptional, IsString } from 'class-validator';
import type { ObjectClass } from '../resources/object-class.js';
import { findOptionViolations, type OptionRule } from '../settings/option.validation.js';
import { findCustomResource } from './custom-resource.decorator.js';
import type { EvolutionOptions } from './evolution/definition.changes.js';

/**
 * What the operator does with the CRDs of the classes that its handlers are declared for, before it watches anything:
 *
 * * `apply`: creates them and brings them up to date, unless that could break stored objects or clients;
 * * `verify`: fails to start unless the cluster has them as they are generated;
 * * `ignore`: nothing.
 */
export type CrdMode = 'apply' | 'verify' | 'ignore';

/** The options of how the operator handles CRDs. */
export interface CrdOptions extends EvolutionOptions {
  readonly mode: CrdMode;
  /** Further classes with `@CustomResource()`: those without handlers, and other versions. */
  readonly types?: readonly ObjectClass[];
  /** Whether fields that other clients have applied, such as kubectl, are overwritten. @default true */
  readonly force?: boolean;
}

const MODES = ['apply', 'verify', 'ignore'];

class CrdRules implements Record<keyof Omit<CrdOptions, 'style'>, unknown> {
  @IsIn(MODES) mode: unknown;
  @IsOptional() @IsArray() types: unknown;
  @IsOptional() @IsBoolean() force: unknown;
  @IsOptional() @ArrayNotEmpty() @IsString({ each: true }) allow: unknown;
  @IsOptional() @IsBoolean() ratcheting: unknown;
}

/** The rule for the option `crds` of the module. */
export const isCrdOptions: OptionRule = (value) => {
  if (typeof value === 'string') return MODES.includes(value) ? undefined : `must be 'apply', 'verify', or 'ignore'`;
  if (typeof value !== 'object' || value === null) return 'must be a mode, or an object with a mode';
  const [violation] = findOptionViolations(CrdRules, value);
  if (violation) return `is wrong: ${violation}`;
  const undeclared = ((value as CrdOptions).types ?? []).filter((type) => !findCustomResource(type));
  const names = undeclared.map((type) => type?.name ?? String(type)).join(', ');
  return undeclared.length > 0 ? `is wrong: types need @CustomResource(), which ${names} does not have` : undefined;
};

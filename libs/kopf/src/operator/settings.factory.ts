import { KopfOptionsError } from '../common/kopf.errors.js';
import { AnnotationsDiffBaseStorage } from '../state/annotations-diffbase.storage.js';
import { SmartProgressStorage } from '../state/multi-progress.storage.js';
import {
  type KopfSettings,
  type SettingsOptions,
  buildSettings,
  findSettingsViolations,
  SETTINGS_GROUPS,
} from '../settings/kopf.settings.js';
import { isCrdOptions } from '../custom-resources/crd.options.js';
import { ENHANCER_KINDS } from '../discovery/enhancers.js';
import {
  findOptionViolations,
  isFlag,
  isFunction,
  isObject,
  must,
  oneOf,
  Rule,
  type OptionRule,
} from '../settings/option.validation.js';
import { DEFAULT_OPERATOR } from '../kopf.tokens.js';
import type { KopfModuleOptions } from '../kopf.options.js';

const isPattern = (value: unknown): boolean => (typeof value === 'string' && value !== '') || value instanceof RegExp;
const isPatterns = must(
  'a pattern, or a non-empty list of patterns: strings or regular expressions',
  (value) => isPattern(value) || (Array.isArray(value) && value.length > 0 && value.every(isPattern)),
);

const isName = must(
  'a text that begins and ends with a letter or a digit, and has only letters, digits, -, _, and .',
  (value) => typeof value === 'string' && /^[a-z0-9]([-_.a-z0-9]*[a-z0-9])?$/i.test(value),
);

const isEnhancers = must(
  `true or false, or a list of ${ENHANCER_KINDS.join(', ')}`,
  (value) =>
    typeof value === 'boolean' ||
    (Array.isArray(value) && value.every((kind) => ENHANCER_KINDS.includes(kind as never))),
);

const isCredentials = must(
  'the path or the text of a kubeconfig, a KubeConfig, or an object with a server',
  (value) =>
    typeof value === 'string' ||
    (typeof value === 'object' &&
      value !== null &&
      ['server', 'transport', 'exportConfig'].some((name) => name in value)),
);

/** Creates the rule that a value has a method, as every implementation of an interface has it. */
const hasMethod = (type: string, method: string): OptionRule =>
  must(`a ${type}`, (value) => typeof (value as Record<string, unknown> | null)?.[method] === 'function');

/** The rules for the options of the module. Of the groups of settings, which have their own rules, only the type is checked. */
class ModuleOptions implements Record<Exclude<keyof KopfModuleOptions, keyof KopfSettings>, unknown> {
  @Rule(isName) name: unknown;
  @Rule(isFlag) enabled: unknown;
  @Rule(isFlag) required: unknown;
  @Rule(isPatterns) namespaces: unknown;
  @Rule(oneOf('peering', 'lease')) coordination: unknown;
  @Rule(isCrdOptions) crds: unknown;
  @Rule(isCredentials) credentials: unknown;
  @Rule(isFunction) lifecycle: unknown;
  @Rule(isEnhancers) globalEnhancers: unknown;
  @Rule(isObject) memo: unknown;
  @Rule(hasMethod('Clock', 'now')) clock: unknown;
  @Rule(hasMethod('Random', 'next')) random: unknown;
}

for (const group of SETTINGS_GROUPS) Rule(isObject)(ModuleOptions.prototype, group);

/** The storages of operators whose options name none. They remember nothing of any object. */
const STORAGES: SettingsOptions = {
  persistence: { progressStorage: new SmartProgressStorage(), diffbaseStorage: new AnnotationsDiffBaseStorage() },
};
const DEFAULTS = buildSettings({}, STORAGES);

/**
 * Creates the settings of the operator from the module's options.
 *
 * @throws KopfOptionsError that names every bad option.
 */
export function createSettings(options: KopfModuleOptions): KopfSettings {
  const settings = buildSettings(options, STORAGES);
  // The credentials are not enumerable.
  const { credentials, name } = options;
  const violations = findOptionViolations(ModuleOptions, { ...options, credentials });
  throwIfViolated([...violations, ...findSettingsViolations(settings, DEFAULTS)], name);
  return settings;
}

/**
 * Checks settings that may have been changed since they were created.
 *
 * @throws KopfOptionsError that names every bad setting.
 */
export function checkSettings(settings: KopfSettings): void {
  throwIfViolated(findSettingsViolations(settings, DEFAULTS));
}

function throwIfViolated(violations: readonly string[], name = DEFAULT_OPERATOR): void {
  if (violations.length === 0) return;
  throw new KopfOptionsError(
    violations,
    name === DEFAULT_OPERATOR ? 'KopfModule' : `KopfModule with the name '${name}'`,
  );
}

import { KopfOptionsError } from '../common/kopf.errors.js';
import { AnnotationsDiffBaseStorage } from '../state/annotations-diffbase.storage.js';
import { SmartProgressStorage } from '../state/multi-progress.storage.js';
import {
  type KopfSettings,
  buildSettings,
  findSettingsViolations,
  SETTINGS_GROUPS,
} from '../settings/kopf.settings.js';
import { findLeaseViolations } from '../settings/coordination.settings.js';
import type { KopfModuleOptions } from '../kopf.options.js';

type OwnOption = Exclude<keyof KopfModuleOptions, keyof KopfSettings>;

const isPattern = (value: unknown): boolean => (typeof value === 'string' && value !== '') || value instanceof RegExp;

/** Holds the rules for the options that are not settings. */
const OWN_OPTIONS: Readonly<Record<OwnOption, { must: string; isValid: (value: unknown) => boolean }>> = {
  enabled: { must: 'be true or false', isValid: (value) => typeof value === 'boolean' },
  namespaces: {
    must: 'be a pattern, or a non-empty list of patterns: strings or regular expressions',
    isValid: (value) => isPattern(value) || (Array.isArray(value) && value.length > 0 && value.every(isPattern)),
  },
  coordination: {
    must: "be 'peering' or 'lease'",
    isValid: (value) => value === 'peering' || value === 'lease',
  },
  credentials: {
    must: 'be an object or a string',
    isValid: (value) => ['object', 'string'].includes(typeof value) && value !== null,
  },
  lifecycle: { must: 'be a function', isValid: (value) => typeof value === 'function' },
  memo: { must: 'be an object', isValid: (value) => typeof value === 'object' && value !== null },
  clock: { must: 'be a Clock', isValid: (value) => typeof (value as { now?: unknown } | null)?.now === 'function' },
  random: { must: 'be a Random', isValid: (value) => typeof (value as { next?: unknown } | null)?.next === 'function' },
};

/**
 * Makes the settings of the operator out of the module's options.
 *
 * @throws KopfOptionsError that names every bad option.
 */
export function createSettings(options: KopfModuleOptions): KopfSettings {
  const settings = buildSettings(options, {
    persistence: { progressStorage: new SmartProgressStorage(), diffbaseStorage: new AnnotationsDiffBaseStorage() },
  });
  throwIfViolated([...findOwnViolations(options), ...findAllViolations(settings)]);
  return settings;
}

/**
 * Checks settings that may have been changed since they were made.
 *
 * @throws KopfOptionsError that names every bad setting.
 */
export function checkSettings(settings: KopfSettings): void {
  throwIfViolated(findAllViolations(settings));
}

function findAllViolations(settings: KopfSettings): readonly string[] {
  return [...findSettingsViolations(settings), ...findLeaseViolations(settings.lease)];
}

function throwIfViolated(violations: readonly string[]): void {
  if (violations.length > 0) throw new KopfOptionsError(violations);
}

function findOwnViolations(options: KopfModuleOptions): readonly string[] {
  // The credentials are hidden from those who look at all members.
  const { credentials } = options;
  return Object.entries({ ...options, credentials }).flatMap(([name, value]) => {
    if (value === undefined) return [];
    if ((SETTINGS_GROUPS as readonly string[]).includes(name)) {
      return typeof value === 'object' && value !== null ? [] : [`${name} must be an object`];
    }
    if (!Object.hasOwn(OWN_OPTIONS, name)) return [`${name} does not exist`];
    const { must, isValid } = OWN_OPTIONS[name as OwnOption];
    return isValid(value) ? [] : [`${name} must ${must}`];
  });
}

// settings: what users can configure of an operator, in groups, with defaults and validation. One page has the settings of one area. The
// folder stands below all folders that read settings.
// May import: common, objects, resources, state; and the interface of webhook servers, which users give as a setting.

import { AdmissionSettings } from './admission.settings.js';
import {
  BackgroundSettings,
  DeletionSettings,
  ExecutionSettings,
  PatchingSettings,
  PersistenceSettings,
  QueueingSettings,
} from './handling.settings.js';
import { LeaseSettings, PeeringSettings } from './coordination.settings.js';
import { LogsSettings } from './logs.settings.js';
import { LoggingSettings } from './logging.settings.js';
import { NetworkingSettings, WatchingSettings } from './client.settings.js';
import { findOptionViolations, type OptionsClass } from './option.validation.js';
import { RedactionSettings } from './redaction.settings.js';
import { PostingSettings, ProcessSettings, ScanningSettings } from './operator.settings.js';

/**
 * All settings of one operator. They are given as module options, and can be changed in `@OnStartup` handlers. A later change affects only
 * code that reads the setting later.
 */
export class KopfSettings {
  readonly admission = new AdmissionSettings();
  readonly background = new BackgroundSettings();
  readonly deletion = new DeletionSettings();
  readonly execution = new ExecutionSettings();
  readonly lease = new LeaseSettings();
  readonly logging = new LoggingSettings();
  readonly logs = new LogsSettings();
  readonly networking = new NetworkingSettings();
  readonly patching = new PatchingSettings();
  readonly peering = new PeeringSettings();

  readonly persistence = new PersistenceSettings();
  readonly posting = new PostingSettings();
  readonly process = new ProcessSettings();
  readonly queueing = new QueueingSettings();
  readonly redaction = new RedactionSettings();
  readonly scanning = new ScanningSettings();
  readonly watching = new WatchingSettings();
}

/** The settings as options: all groups and all their members are optional. */
export type SettingsOptions = { [Group in keyof KopfSettings]?: Partial<KopfSettings[Group]> };

/** The names of the groups of settings. */
export const SETTINGS_GROUPS = Object.keys(new KopfSettings()) as (keyof KopfSettings)[];

/** Merges options with the defaults. Members that are `undefined` do not count. */
export function buildSettings(options: SettingsOptions, defaults: SettingsOptions = {}): KopfSettings {
  const settings = new KopfSettings();
  for (const group of SETTINGS_GROUPS) {
    for (const given of [defaults[group], options[group]]) {
      if (!given) continue;
      const members = Object.entries(given).filter(([, value]) => value !== undefined);
      Object.assign(settings[group], Object.fromEntries(members));
    }
  }
  return settings;
}

/**
 * Finds the violations of the settings, as texts that begin with the path of the setting.
 *
 * @param defaults valid settings: groups that are equal to them are not validated.
 */
export function findSettingsViolations(settings: KopfSettings, defaults: KopfSettings): readonly string[] {
  const changed = SETTINGS_GROUPS.filter((group) => !hasSameMembers(settings[group], defaults[group]));
  return changed.flatMap((group) =>
    findOptionViolations(settings[group].constructor as OptionsClass, settings[group], {
      titleOf: (name) => `${group}.${name}`,
      isComplete: true,
    }),
  );
}

/** Whether all members are the same. A member without a default is always validated, as some are set before the settings are complete. */
function hasSameMembers(one: object, other: object): boolean {
  const members = Object.entries(one);
  const isSame = ([name, value]: [string, unknown]): boolean =>
    value !== undefined && isEqual(value, other[name as never]);
  return members.length === Object.keys(other).length && members.every(isSame);
}

/** Compares lists by their items, as each instance of the settings has its own lists. */
function isEqual(one: unknown, other: unknown): boolean {
  if (!Array.isArray(one) || !Array.isArray(other)) return one === other;
  return one.length === other.length && one.every((item, index) => item === other[index]);
}

import {
  ActivityKind,
  canMeet,
  type AdmissionHandler,
  type Handler,
  type ResourceHandler,
} from '../registry/handler.js';
import { findInvalidIds, findKeyCollisions } from '../state/annotation-keys.js';
import type { HandlerRegistry } from '../registry/handler.registry.js';
import { groupBy } from 'kube-common';

/**
 * Finds unusable ids of handlers: different methods with one id for one resource would overwrite each other's progress and results; and
 * some ids cannot be keys of the stored state. Methods that are never called for the same change, such as one for creations and one for
 * deletions, can have one id, as in Kopf.
 *
 * Selectors with the same criteria count as the same; only the cluster knows whether different selectors match one resource.
 */
export function findIdConflicts(registry: HandlerRegistry): readonly string[] {
  return [
    ...findSameIds(registry.allChanging(), REMEDY, canMeet),
    ...findSameIds(registry.allWatching(), REMEDY),
    ...findSameIds(registry.allSpawning(), REMEDY),
    ...findSameIds(registry.allIndexing()),
    ...findSameIds(registry.activitiesOf(ActivityKind.PROBE)),
    ...findAdmissionConflicts(registry.allAdmission()),
    ...findUnstorableIds(registry.allChanging()),
  ];
}

const REMEDY = "give one of them another option 'id', or its module KopfModule.forFeature({ idPrefix })";

function findSameIds<H extends Handler & Pick<ResourceHandler, 'selector'>>(
  handlers: readonly H[],
  remedy = "give one of them another option 'id'",
  areInConflict: (one: H, other: H) => boolean = () => true,
): readonly string[] {
  const groups = groupBy(handlers, ({ id, selector }) => JSON.stringify([id, selector && String(selector)]));
  const conflicts = new Set<string>();
  for (const group of groups.values()) {
    for (const [index, handler] of group.entries()) {
      const { id, selector, invoke } = handler;
      const other = group.slice(0, index).find((each) => each.invoke !== invoke && areInConflict(each, handler));
      if (!other) continue;
      const names = `${other.source} and ${handler.source}`;
      const what = selector ? `handlers '${id}' of ${String(selector)}` : `probes '${id}'`;
      conflicts.add(`${names} are both ${what}; ${remedy}`);
    }
  }
  return [...conflicts];
}

/** The path of the webhook ends with the id, so two handlers of one resource, a validating and a mutating one, need different ids. */
function findAdmissionConflicts(handlers: readonly AdmissionHandler[]): readonly string[] {
  const groups = groupBy(handlers, ({ id, selector }) => JSON.stringify([id, String(selector)]));
  const mixed = [...groups.values()].filter((group) => new Set(group.map(({ kind }) => kind)).size > 1);
  return [
    ...findSameIds(handlers),
    ...mixed.map(([{ id, source, selector }]) => {
      const what = `both a validating and a mutating handler '${id}' of ${String(selector)}`;
      return `${source} is ${what}; give one of them another option 'id'`;
    }),
  ];
}

function findUnstorableIds(handlers: readonly ResourceHandler[]): readonly string[] {
  const bySelector = groupBy(handlers, ({ selector }) => String(selector));
  const collisions = [...bySelector].flatMap(([selector, group]) =>
    findKeyCollisions(group.map(({ id }) => id)).map(
      ({ key, ids }) => `the handlers '${ids.join("' and '")}' of ${selector} would share the annotation ${key}`,
    ),
  );
  const invalid = findInvalidIds(new Set(handlers.map(({ id }) => id))).map((id) => {
    const source = handlers.find((handler) => handler.id === id)?.source;
    return `${source}: the id '${id}' must begin and end with a letter or a digit, and have only letters, digits, -, _, ., and /`;
  });
  return [...collisions, ...invalid];
}

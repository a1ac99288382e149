import { isMap } from 'kube-common';
import type { KubeObject } from '../../objects/kube-object.js';
import { KOPF_FINALIZER } from './explanation.js';
import { readStoredState } from './stored.state.js';

/** The choice of the state that is to be removed from objects. */
export interface ReleaseScope {
  /** Only state under this prefix of annotations, and finalizers that begin with it. @default that of all operators */
  readonly prefix?: string;
  /** Finalizers besides those that are known to be of operators. */
  readonly finalizers: readonly string[];
  readonly only?: 'finalizers' | 'annotations';
}

/** The state that is to be removed from one object. */
export interface Release {
  readonly finalizers: readonly string[];
  readonly annotations: readonly string[];
  /** The members of the status that hold state: `kopf`. */
  readonly status: readonly string[];
}

/** Finds what is to be taken off an object. */
export function planRelease(body: KubeObject, { prefix, finalizers, only }: ReleaseScope, now: number): Release {
  const state = readStoredState(body, now).filter((each) => prefix === undefined || each.prefix === prefix);
  const prefixes = state.filter(({ annotations }) => annotations.length > 0).map((each) => each.prefix);
  const isOwn = (name: string): boolean =>
    finalizers.includes(name) ||
    (prefix === undefined && name === KOPF_FINALIZER) ||
    [...prefixes, ...(prefix === undefined ? [] : [prefix])].some((each) => name.startsWith(`${each}/`));
  const places = state.flatMap(({ progress, lastHandled }) => [
    ...progress.flatMap((each) => each.places),
    ...lastHandled,
  ]);
  const members = places.map((place) => /^status\.([^.[]+)/.exec(place)?.[1]).filter((name) => name !== undefined);
  return {
    finalizers: only === 'annotations' ? [] : (body.metadata.finalizers ?? []).filter(isOwn),
    annotations: only === 'finalizers' ? [] : state.flatMap((each) => each.annotations),
    status: only === 'finalizers' ? [] : [...new Set(members)],
  };
}

/** Whether nothing of the operator is left to be removed. */
export function isReleased({ finalizers, annotations, status }: Release): boolean {
  return finalizers.length + annotations.length + status.length === 0;
}

/**
 * Creates the patches of the object and of its status. The first has the resource version of the object, so that a finalizer that another
 * client adds or removes at the same time is not lost or brought back.
 */
export function createReleasePatches(body: KubeObject, release: Release): { object?: object; status?: object } {
  const { resourceVersion, finalizers = [] } = body.metadata;
  const nothing = (names: readonly string[]): object => Object.fromEntries(names.map((name) => [name, null]));
  const rest = finalizers.filter((name) => !release.finalizers.includes(name));
  const metadata = {
    resourceVersion,
    ...(release.finalizers.length > 0 && { finalizers: rest }),
    ...(release.annotations.length > 0 && { annotations: nothing(release.annotations) }),
  };
  const isOwn = (name: string): boolean => isMap(body.status) && isMap(body.status[name]);
  return {
    ...(release.finalizers.length + release.annotations.length > 0 && { object: { metadata } }),
    ...(release.status.length > 0 && { status: { status: nothing(release.status.filter(isOwn)) } }),
  };
}

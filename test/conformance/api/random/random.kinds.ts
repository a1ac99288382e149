// The resources about which random requests are made, with valid objects of each.
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { BUILTIN_RESOURCES } from '../../../../libs/embedded-kube/src/kinds/builtin-resources.data.js';

/** A resource about which requests are made. */
export interface RandomKind {
  readonly key: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespaced: boolean;
  readonly collection: string;
  readonly subresources: readonly string[];
}

/** Valid objects by `plural.group`. */
export const SAMPLES = load(readFileSync(new URL('./samples.yaml', import.meta.url), 'utf8')) as Record<
  string,
  Record<string, unknown>[]
>;
/** All resources. */
export const KINDS = Object.keys(SAMPLES).flatMap(kindsOf);
/** Kinds that users write most come more often. */
export const FREQUENT = KINDS.filter(({ key }) =>
  /^(pods|services|configmaps|secrets|persistentvolumeclaims|widgets|deployments|statefulsets|jobs|cronjobs|ingresses|roles|clusterroles)(\.|$)/.test(
    key,
  ),
);

function kindsOf(key: string): RandomKind[] {
  if (key === 'widgets.example.com') {
    const collection = '/apis/example.com/v1/namespaces/{ns}/widgets';
    return [
      {
        key,
        apiVersion: 'example.com/v1',
        kind: 'Widget',
        namespaced: true,
        collection,
        subresources: ['status', 'scale'],
      },
    ];
  }
  return BUILTIN_RESOURCES.filter(({ plural, group }) => (group ? `${plural}.${group}` : plural) === key)
    .slice(0, 1)
    .map(({ group, version, kind, plural, namespaced, subresources }) => ({
      key,
      apiVersion: group ? `${group}/${version}` : version,
      kind,
      namespaced,
      collection: `${group ? `/apis/${group}/${version}` : `/api/${version}`}${namespaced ? '/namespaces/{ns}' : ''}/${plural}`,
      subresources: subresources.map(({ name }) => name),
    }));
}

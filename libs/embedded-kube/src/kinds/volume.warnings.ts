import { mapping } from '../common/json.values.js';
import { quoteGo } from '../common/go-quote.js';
import { warnOfFractions } from './fraction.warnings.js';
import { itemsOf, structOf, textOf, type Values } from './validation/field.report.js';

/** The kinds of volumes that do not exist any more, in the order in which the real server looks at them. */
const OLD_VOLUMES: readonly (readonly [field: string, message: string, shown?: string])[] = [
  ['photonPersistentDisk', 'deprecated in v1.11, non-functional in v1.16+'],
  ['gitRepo', 'deprecated in v1.11, and disabled by default in v1.33+'],
  ['scaleIO', 'deprecated in v1.16, non-functional in v1.22+'],
  ['flocker', 'deprecated in v1.22, non-functional in v1.25+'],
  ['storageos', 'deprecated in v1.22, non-functional in v1.25+', 'storageOS'],
  ['quobyte', 'deprecated in v1.22, non-functional in v1.25+'],
  ['glusterfs', 'deprecated in v1.25, non-functional in v1.26+'],
  ['ephemeral', ''],
  ['cephfs', 'deprecated in v1.28, non-functional in v1.31+'],
  ['rbd', 'deprecated in v1.28, non-functional in v1.31+'],
];

/** A path in a volume, and the source that it comes from, where there can be several. */
interface SourcePath {
  readonly path: string;
  readonly source: string;
}

/** Warns of volumes of a pod that do not work any more, and of files in them that overwrite each other. */
export function warnOfVolumes(volumes: readonly Values[], path: string): readonly string[] {
  const old = volumes.flatMap((volume, index) =>
    OLD_VOLUMES.flatMap(([field, message, shown = field]) => {
      if (!structOf(volume[field])) return [];
      if (message) return [`${path}[${index}].${shown}: ${message}`];
      const template = mapping(mapping(volume[field])['volumeClaimTemplate']);
      return warnOfClaim(mapping(template['spec']), `${path}[${index}].ephemeral.volumeClaimTemplate.spec`);
    }),
  );
  return [...old, ...volumes.flatMap(warnOfFiles)];
}

/** Warns of sizes of a claim that are no whole numbers of bytes. */
export function warnOfClaim(spec: Values, path: string): readonly string[] {
  const resources = mapping(spec['resources']);
  return ['requests', 'limits'].flatMap((field) =>
    warnOfFractions(resources[field], `${path}.resources.${field}`, ['storage']),
  );
}

function warnOfFiles(volume: Values): readonly string[] {
  const name = quoteGo(textOf(volume['name']));
  const { configMap, secret, downwardAPI, projected } = volume;
  const warn = (kind: string, overlaps: readonly string[]): readonly string[] =>
    overlaps.map((overlap) => `volume ${name} (${kind}): overlapping paths: ${overlap}`);
  return [
    ...warn(`ConfigMap ${quoteGo(textOf(mapping(configMap)['name']))}`, overlapsIn(pathsOf(configMap, ''))),
    ...warn(`Secret ${quoteGo(textOf(mapping(secret)['secretName']))}`, overlapsIn(pathsOf(secret, ''))),
    ...warn('DownwardAPI', overlapsIn(pathsOf(downwardAPI, ''))),
    ...itemsOf(mapping(projected)['sources']).flatMap((source) =>
      Object.keys(source).length === 0 ? [`volume ${name} (Projected) has no sources provided`] : [],
    ),
    ...warn('Projected', overlapsIn(itemsOf(mapping(projected)['sources']).flatMap(projectedPaths))),
  ];
}

function pathsOf(volume: unknown, source: string): readonly SourcePath[] {
  return itemsOf(mapping(volume)['items']).map(({ path }) => ({ path: textOf(path), source }));
}

function projectedPaths({ configMap, secret, downwardAPI, serviceAccountToken }: Values): readonly SourcePath[] {
  const named = (kind: string, volume: unknown): string => `${kind} ${quoteGo(textOf(mapping(volume)['name']))}`;
  if (mapping(configMap)['items'] !== undefined) return pathsOf(configMap, named('ConfigMap', configMap));
  if (mapping(secret)['items'] !== undefined) return pathsOf(secret, named('Secret', secret));
  if (mapping(downwardAPI)['items'] !== undefined) return pathsOf(downwardAPI, 'DownwardAPI');
  const token = structOf(serviceAccountToken);
  return token ? [{ path: textOf(token['path']), source: 'ServiceAccountToken' }] : [];
}

/** Returns the pairs of paths that are equal, or of which one lies below the other. */
function overlapsIn(paths: readonly SourcePath[]): readonly string[] {
  const trimmed = paths.map(({ path, source }) => ({ path: path.replace(/\/+$/, ''), source }));
  return trimmed.flatMap((each, index) =>
    trimmed
      .slice(0, index)
      .filter((other) => overlap(each.path, other.path))
      .map((other) => `${show(each)} with ${show(other)}`),
  );
}

function overlap(left: string, right: string): boolean {
  if (left === '' || right === '') return false;
  return `${left}/`.startsWith(`${right}/`) || `${right}/`.startsWith(`${left}/`);
}

function show({ path, source }: SourcePath): string {
  return source ? `${quoteGo(path)} (${source})` : quoteGo(path);
}

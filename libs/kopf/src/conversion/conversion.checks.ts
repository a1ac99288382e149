import type { CustomResourceDefinition } from '../custom-resources/definition.interface.js';
import type { ConversionHandler } from '../registry/handler.js';
import { ConversionGraph } from './conversion.graph.js';

/** The CRDs by their names, as the classes declare them or the cluster has them, from which the versions of resources are known. */
export type KnownVersions = ReadonlyMap<string, Pick<CustomResourceDefinition, 'spec'>>;

/** Creates the graphs of conversions by the names of their CRDs. */
export function createGraphs(
  handlers: readonly ConversionHandler[],
  known: KnownVersions,
): ReadonlyMap<string, ConversionGraph> {
  const names = [...new Set(handlers.map(({ definition }) => definition))];
  return new Map(
    names.map((name) => {
      const own = handlers.filter(({ definition }) => definition === name);
      return [name, new ConversionGraph(name, own, hubOf(own, known.get(name)))];
    }),
  );
}

/** Chooses the hub: the version in which objects are stored or, if it is not known, the one that most methods convert from or to. */
function hubOf(handlers: readonly ConversionHandler[], definition: Pick<CustomResourceDefinition, 'spec'> | undefined) {
  const stored = definition?.spec.versions.find(({ storage }) => storage)?.name;
  if (stored !== undefined) return stored;
  const ends = handlers.flatMap(({ from, to }) => [from, to]);
  const countOf = (version: string): number => ends.filter((end) => end === version).length;
  return [...new Set(ends)].sort((one, other) => countOf(other) - countOf(one))[0];
}

/** Finds conversions that are not reliable: two methods for the same versions, one direction only, and versions that cannot be reached. */
export function findConversionViolations(graphs: Iterable<ConversionGraph>, known: KnownVersions): readonly string[] {
  return [...graphs].flatMap((graph) => {
    const versions = known.get(graph.name)?.spec.versions.map(({ name }) => name);
    const simple = [
      ...findRepeated(graph),
      ...(versions ? findUnknownVersions(graph, versions) : []),
      ...findOneWay(graph),
    ];
    // Gaps are consequences of these violations.
    return simple.length > 0 ? simple : findGaps(graph, versions ?? []);
  });
}

function findRepeated({ name, handlers }: ConversionGraph): string[] {
  return handlers.flatMap((handler, index) => {
    const { source, from, to } = handler;
    const other = handlers.slice(0, index).find((each) => each.from === from && each.to === to);
    if (!other) return [];
    return [`${other.source} and ${source} (@Convert): both convert ${name} from ${from} to ${to}; remove one of them`];
  });
}

/** Finds versions that the CRD does not have. */
export function findUnknownVersions({ name, handlers }: ConversionGraph, versions: readonly string[]): string[] {
  return handlers.flatMap(({ source, retired, ...ends }) => {
    if (retired) return [];
    return (['from', 'to'] as const)
      .filter((option) => !versions.includes(ends[option]))
      .map(
        (option) =>
          `${source} (@Convert): option '${option}': ${name} has no version ${ends[option]}, but ${versions.join(', ')}; ` +
          'mend the option, or add retired: true if the version has gone and objects may still be stored in it',
      );
  });
}

function findOneWay(graph: ConversionGraph): string[] {
  return graph.handlers.flatMap(({ source, from, to, retired }) => {
    if (retired || graph.pathOf(to, from)) return [];
    const remedy = `add a method with @Convert(…, { from: '${to}', to: '${from}' })`;
    return [
      `${source} (@Convert): options 'from' and 'to': nothing converts ${graph.name} from ${to} back to ${from}; ${remedy}`,
    ];
  });
}

/**
 * Finds versions that cannot be converted to each other. There must be methods in both directions, so only the paths to the hub are
 * checked.
 */
function findGaps(graph: ConversionGraph, declared: readonly string[]): string[] {
  const { name, hub, handlers } = graph;
  if (hub === undefined) return [];
  const wanted = new Set([...declared, ...graph.versions]);
  return [...wanted].flatMap((version) => {
    if (graph.pathOf(version, hub)) return [];
    const own = handlers.find(({ from, to }) => from === version || to === version);
    const place = (own ?? handlers[0]).source;
    const remedy = `add methods with @Convert(…, { from: '${version}', to: '${hub}' }) and back`;
    return [`${place} (@Convert): nothing leads from the version ${version} of ${name} to its hub ${hub}; ${remedy}`];
  });
}

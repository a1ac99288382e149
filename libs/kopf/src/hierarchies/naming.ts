import { metadataOf, toList, type Dependants, requireOwner } from './owner-references.js';

/** The options of setting names and namespaces. */
export interface NamingOptions {
  /** Whether the name or the namespace is overwritten that the object has already. @default false */
  forced?: boolean;
}

/** The options of setting names. */
export interface HarmonizeOptions extends NamingOptions {
  /** Whether the name is set as it is, not as the prefix of a generated one. @default false */
  strict?: boolean;
}

/**
 * Names the objects after another one: `owner-xyz123`, or exactly `owner` if strict. Objects with a name keep it.
 *
 * @param name the name; left out, that of the object that is being handled.
 */
export function harmonizeNaming(objects: Dependants, name?: string, options: HarmonizeOptions = {}): void {
  const wanted = name ?? requireOwner(undefined).metadata.name;
  if (!wanted) throw new TypeError('There is no name to name the objects after.');
  for (const object of toList(objects)) {
    const metadata = metadataOf(object);
    if (!options.forced && (metadata.name || metadata.generateName)) continue;
    delete metadata.name;
    delete metadata.generateName;
    if (options.strict) metadata.name = wanted;
    else metadata.generateName = `${wanted}-`;
  }
}

/**
 * Puts the objects into a namespace. Objects with a namespace stay in it; a cluster-scoped owner has no namespace to set.
 *
 * @param namespace the namespace; left out, that of the object that is being handled.
 */
export function adjustNamespace(objects: Dependants, namespace?: string, options: NamingOptions = {}): void {
  const wanted = namespace ?? requireOwner(undefined).metadata.namespace;
  if (wanted === undefined) return;
  for (const object of toList(objects)) {
    const metadata = metadataOf(object);
    if (options.forced || !metadata.namespace) metadata.namespace = wanted;
  }
}

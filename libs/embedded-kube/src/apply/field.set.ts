import { isJsonObject } from '../common/json.values.js';
import { compareElements, type FieldPath, memberName, parseElement, type PathElement } from './path.element.js';
import { type ValueType, typeBelow } from './value.type.js';

/** A set as `fieldsV1` writes it: a step leads to what is below, `.` stands for the value that holds it. */
export interface FieldsV1 {
  readonly [element: string]: FieldsV1;
}

/** A set of paths into an object, as a tree of their steps. Sets are never changed. */
export class FieldSet {
  static readonly EMPTY = new FieldSet(new Set(), new Map());

  private constructor(
    /** The paths of one step. */
    private readonly members: ReadonlySet<PathElement>,
    /** The rest of the longer paths, by their first step; never empty. */
    private readonly children: ReadonlyMap<PathElement, FieldSet>,
  ) {}

  static of(paths: Iterable<FieldPath>): FieldSet {
    const members = new Set<PathElement>();
    const below = new Map<PathElement, FieldPath[]>();
    for (const [first, ...rest] of paths) {
      if (first === undefined) continue;
      if (rest.length === 0) members.add(first);
      else if (below.has(first)) below.get(first)!.push(rest);
      else below.set(first, [rest]);
    }
    const children = [...below].map(([element, rests]): [PathElement, FieldSet] => [element, FieldSet.of(rests)]);
    return FieldSet.make(members, children);
  }

  /** Reads what a client or the storage says. @throws Error if it is no set */
  static parse(fields: unknown): FieldSet {
    if (!isJsonObject(fields)) throw new Error('fields are no object');
    const members = new Set<PathElement>();
    const children = new Map<PathElement, FieldSet>();
    for (const [text, inner] of Object.entries(fields)) {
      if (text === '.') continue;
      if (!isJsonObject(inner)) throw new Error(`${text} is no object`);
      const element = parseElement(text);
      const child = FieldSet.parse(inner);
      if (child.isEmpty || '.' in inner) members.add(element);
      if (!child.isEmpty) children.set(element, child);
    }
    return FieldSet.make(members, children);
  }

  private static make(members: ReadonlySet<PathElement>, children: Iterable<[PathElement, FieldSet]>): FieldSet {
    const filled = new Map([...children].filter(([, child]) => !child.isEmpty));
    return members.size === 0 && filled.size === 0 ? FieldSet.EMPTY : new FieldSet(members, filled);
  }

  get isEmpty(): boolean {
    return this.members.size === 0 && this.children.size === 0;
  }

  has(element: PathElement): boolean {
    return this.members.has(element);
  }

  /** The paths that begin with a step, without it. */
  below(element: PathElement): FieldSet {
    return this.children.get(element) ?? FieldSet.EMPTY;
  }

  equals(other: FieldSet): boolean {
    return this === other || (this.difference(other).isEmpty && other.difference(this).isEmpty);
  }

  union(other: FieldSet): FieldSet {
    if (this.isEmpty || this === other) return other;
    if (other.isEmpty) return this;
    const children = new Map(this.children);
    for (const [element, child] of other.children) children.set(element, this.below(element).union(child));
    return FieldSet.make(new Set([...this.members, ...other.members]), children);
  }

  intersection(other: FieldSet): FieldSet {
    return FieldSet.make(
      new Set([...this.members].filter((element) => other.has(element))),
      this.mapChildren((child, element) => child.intersection(other.below(element))),
    );
  }

  /** Returns the paths that are not in the other set; paths below its own stay. */
  difference(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    return FieldSet.make(
      new Set([...this.members].filter((element) => !other.has(element))),
      this.mapChildren((child, element) => child.difference(other.below(element))),
    );
  }

  /** Returns the paths that are neither in the other set nor below its paths. */
  outside(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    return FieldSet.make(
      new Set([...this.members].filter((element) => !other.has(element))),
      this.mapChildren((child, element) => (other.has(element) ? FieldSet.EMPTY : child.outside(other.below(element)))),
    );
  }

  /** The set with the declared members on the way to its paths. */
  withNamedFields(type: ValueType | undefined): FieldSet {
    const members = new Set(this.members);
    for (const element of this.children.keys()) {
      const name = memberName(element);
      if (name !== undefined && type?.map?.field(name)) members.add(element);
    }
    return FieldSet.make(
      members,
      this.mapChildren((child, element) => child.withNamedFields(type && typeBelow(type, element))),
    );
  }

  /** The paths in the order in which the server tells them: at each step first those that end there. */
  *paths(): Iterable<FieldPath> {
    const elements = this.elements();
    for (const element of elements) if (this.has(element)) yield [element];
    for (const element of elements) {
      for (const rest of this.below(element).paths()) yield [element, ...rest];
    }
  }

  /** The set as `fieldsV1` writes it. */
  toFields(): FieldsV1 {
    const fields: Record<string, FieldsV1> = {};
    for (const element of this.elements()) {
      const child = this.children.get(element);
      fields[element] = { ...(child && this.has(element) && { '.': {} }), ...child?.toFields() };
    }
    return fields;
  }

  private elements(): PathElement[] {
    return [...new Set([...this.members, ...this.children.keys()])].sort(compareElements);
  }

  private mapChildren(map: (child: FieldSet, element: PathElement) => FieldSet): [PathElement, FieldSet][] {
    return [...this.children].map(([element, child]) => [element, map(child, element)]);
  }
}

import { isJsonObject } from '../common/json.values.js';
import { compareElements, type FieldPath, memberName, parseElement, type PathElement } from './path.element.js';
import { type ValueType, typeBelow } from './value.type.js';

/** A set as `fieldsV1` writes it: a step leads to what is below, `.` stands for the value that holds it. */
export interface FieldsV1 {
  readonly [element: string]: FieldsV1;
}

const NO_MEMBERS: ReadonlySet<PathElement> = new Set();
const NO_CHILDREN: ReadonlyMap<PathElement, FieldSet> = new Map();

/** A set of paths into an object, as a tree of their steps. Sets are never changed. */
export class FieldSet {
  static readonly EMPTY = new FieldSet(NO_MEMBERS, NO_CHILDREN);

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

  /** Reads a set from a request or from storage. @throws Error if it is no set */
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
    const filled = new Map<PathElement, FieldSet>();
    for (const [element, child] of children) if (!child.isEmpty) filled.set(element, child);
    return members.size === 0 && filled.size === 0 ? FieldSet.EMPTY : new FieldSet(members, filled);
  }

  /** Makes a set of the paths of one step, and of non-empty sets of what is below; they must not be changed any more. */
  static build(
    members: ReadonlySet<PathElement> = NO_MEMBERS,
    children: ReadonlyMap<PathElement, FieldSet> = NO_CHILDREN,
  ): FieldSet {
    return members.size === 0 && children.size === 0 ? FieldSet.EMPTY : new FieldSet(members, children);
  }

  get isEmpty(): boolean {
    return this.members.size === 0 && this.children.size === 0;
  }

  has(element: PathElement): boolean {
    return this.members.has(element);
  }

  /** Returns the paths that begin with a step, without it. */
  below(element: PathElement): FieldSet {
    return this.children.get(element) ?? FieldSet.EMPTY;
  }

  equals(other: FieldSet): boolean {
    return this === other || (this.difference(other).isEmpty && other.difference(this).isEmpty);
  }

  /** Returns the paths of both; the set itself, if it has all of them. */
  union(other: FieldSet): FieldSet {
    if (this.isEmpty || this === other) return other;
    let members: Set<PathElement> | undefined;
    for (const element of other.members) {
      if (!this.members.has(element)) (members ??= new Set(this.members)).add(element);
    }
    let children: Map<PathElement, FieldSet> | undefined;
    for (const [element, child] of other.children) {
      const own = this.below(element);
      const joined = own.union(child);
      if (joined !== own) (children ??= new Map(this.children)).set(element, joined);
    }
    return members || children ? new FieldSet(members ?? this.members, children ?? this.children) : this;
  }

  intersection(other: FieldSet): FieldSet {
    if (this.isEmpty || this === other) return this;
    let members: Set<PathElement> | undefined;
    for (const element of other.members) if (this.members.has(element)) (members ??= new Set()).add(element);
    let children: Map<PathElement, FieldSet> | undefined;
    for (const [element, child] of other.children) {
      const common = this.below(element).intersection(child);
      if (!common.isEmpty) (children ??= new Map()).set(element, common);
    }
    return FieldSet.build(members, children);
  }

  /** Returns the paths that are not in the other set; paths below its own stay. The set itself, if it loses none. */
  difference(other: FieldSet): FieldSet {
    if (this === other) return FieldSet.EMPTY;
    let members: Set<PathElement> | undefined;
    for (const element of other.members) {
      if (this.members.has(element)) (members ??= new Set(this.members)).delete(element);
    }
    let children: Map<PathElement, FieldSet> | undefined;
    for (const [element, child] of other.children) {
      const own = this.children.get(element);
      const left = own?.difference(child);
      if (left === own || !left) continue;
      children ??= new Map(this.children);
      if (left.isEmpty) children.delete(element);
      else children.set(element, left);
    }
    return members || children ? FieldSet.build(members ?? this.members, children ?? this.children) : this;
  }

  /** Returns the paths that are neither in the other set nor below its paths. */
  outside(other: FieldSet): FieldSet {
    if (other.isEmpty) return this;
    return FieldSet.make(
      new Set([...this.members].filter((element) => !other.has(element))),
      this.mapChildren((child, element) => (other.has(element) ? FieldSet.EMPTY : child.outside(other.below(element)))),
    );
  }

  /** Returns the set with the declared members on the way to its paths. */
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

  /** Iterates over the paths in the order in which the server writes them: at each step first those that end there. */
  *paths(): Iterable<FieldPath> {
    const elements = this.elements();
    for (const element of elements) if (this.has(element)) yield [element];
    for (const element of elements) {
      for (const rest of this.below(element).paths()) yield [element, ...rest];
    }
  }

  /** Returns the set as `fieldsV1` writes it. */
  toFields(): FieldsV1 {
    return JSON.parse(this.toText()) as FieldsV1;
  }

  /** Returns the same as JSON, which is equal for equal sets. */
  toText(): string {
    return `{${this.textOfMembers()}}`;
  }

  private textOfMembers(): string {
    let text = '';
    for (const element of this.elements()) {
      const child = this.children.get(element);
      const self = child && this.members.has(element) ? '".":{},' : '';
      text += `${text && ','}${JSON.stringify(element)}:{${self}${child ? child.textOfMembers() : ''}}`;
    }
    return text;
  }

  private elements(): PathElement[] {
    const elements = [...this.members];
    for (const element of this.children.keys()) if (!this.members.has(element)) elements.push(element);
    if (elements.length < 2) return elements;
    // Members are ordered as texts are.
    return elements.every(isMember) ? elements.sort() : elements.sort(compareElements);
  }

  private mapChildren(map: (child: FieldSet, element: PathElement) => FieldSet): [PathElement, FieldSet][] {
    return [...this.children].map(([element, child]) => [element, map(child, element)]);
  }
}

function isMember(element: PathElement): boolean {
  return element.startsWith('f:');
}

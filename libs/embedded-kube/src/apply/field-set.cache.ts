import { FieldSet, type FieldsV1 } from './field.set.js';

/** The number of sets that are remembered: operators write very many objects, but few that own different fields. */
const LIMIT = 1000;

interface Known {
  readonly set: FieldSet;
  /** As the server writes it; shared by all objects whose fields are owned in the same way. */
  fields?: FieldsV1;
}

/** Sets of fields, each read and written once, so that a write of an object need not read and write again what was there before. */
export class FieldSetCache {
  private readonly byText = new Map<string, Known>();
  private byFields = new WeakMap<object, Known>();
  private bySet = new WeakMap<FieldSet, Known>();

  /** Reads a set from a request or from storage. @throws Error if it is no set */
  readonly parse = (fields: unknown): FieldSet => {
    const known = typeof fields === 'object' && fields !== null ? this.byFields.get(fields) : undefined;
    return (known ?? this.remember(JSON.stringify(fields), () => FieldSet.parse(fields))).set;
  };

  /** The set as `fieldsV1` writes it; must not be changed. */
  readonly write = (set: FieldSet): FieldsV1 => {
    let known = this.bySet.get(set);
    if (!known) {
      const text = set.toText();
      known = this.remember(text, () => set);
      if (!known.fields) this.byFields.set((known.fields = JSON.parse(text) as FieldsV1), known);
      this.bySet.set(set, known);
    }
    return known.fields!;
  };

  /** Whether {@link write} has made the value, not only an equal one. */
  isWritten(fields: unknown): boolean {
    return typeof fields === 'object' && fields !== null && this.byFields.has(fields);
  }

  private remember(text: string, make: () => FieldSet): Known {
    let known = this.byText.get(text);
    if (!known) {
      if (this.byText.size >= LIMIT) this.forget();
      known = { set: make() };
      this.byText.set(text, known);
    }
    return known;
  }

  /** Forgets all sets: those that are still in use are soon known again. */
  private forget(): void {
    this.byText.clear();
    this.byFields = new WeakMap();
    this.bySet = new WeakMap();
  }
}

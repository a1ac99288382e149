import type { MissingReference, RelatedView } from '../contexts/related.interface.js';
import type { ReferenceDeclaration } from '../decorators/reference.decorators.js';
import type { KubeObject } from '../objects/kube-object.js';
import { getKey, isMap } from 'kube-common';
import { parseSelector } from '../resources/selectors.js';
import type { Resource } from '../resources/resources.js';
import { Relation } from './relation.js';

/** One reference in an object. */
interface FoundReference extends MissingReference {
  readonly keys: readonly string[];
}

/** Objects and the objects that they refer to by name. */
export class ReferenceRelation extends Relation {
  private readonly fields: readonly { readonly declaration: ReferenceDeclaration; readonly resource: string }[];

  /** @throws TypeError if a resource is malformed. */
  constructor(declarations: readonly ReferenceDeclaration[]) {
    super(declarations.map(({ to }) => parseSelector([to])));
    this.fields = declarations.map((declaration, index) => ({
      declaration,
      resource: String(this.selectors[index]),
    }));
  }

  override viewOf(body: KubeObject): RelatedView {
    const missing = this.referencesOf(body).filter(({ keys }) => !keys.some((key) => this.has(key)));
    return {
      related: super.viewOf(body).related,
      missing: missing.map(({ keys: _keys, ...reference }) => reference),
    };
  }

  protected keysOfSubject(body: KubeObject): readonly string[] {
    return this.referencesOf(body).flatMap(({ keys }) => keys);
  }

  protected keysOfRelated({ metadata }: KubeObject, resource: Resource): readonly string[] {
    const { name = '', namespace } = metadata;
    // Several declarations can be for one resource, by different names.
    return this.fields
      .filter((_, index) => this.selectors[index].check(resource))
      .map((field) => keyOf(field.resource, namespace, name));
  }

  private referencesOf(body: KubeObject): readonly FoundReference[] {
    return this.fields.flatMap(({ declaration, resource }) =>
      valuesAt(body, declaration.field.split('.')).flatMap((value) => {
        const { name, namespace = body.metadata.namespace } = isMap(value)
          ? (value as Partial<MissingReference>)
          : { name: value };
        if (typeof name !== 'string' || name === '') return [];
        // An object without a namespace is found by its name alone, whatever namespace the reference has.
        const keys = [keyOf(resource, namespace, name), keyOf(resource, undefined, name)];
        return [{ field: declaration.field, resource, name, namespace, keys: [...new Set(keys)] }];
      }),
    );
  }
}

/** Reads the values of a field; `[]` after a name stands for each item of a list. */
function valuesAt(value: unknown, [name, ...rest]: readonly string[]): readonly unknown[] {
  if (name === undefined) return value === undefined || value === null ? [] : [value];
  const isList = name.endsWith('[]');
  const inner = isMap(value) ? getKey(value, isList ? name.slice(0, -2) : name) : undefined;
  if (!isList) return valuesAt(inner, rest);
  return Array.isArray(inner) ? inner.flatMap((item) => valuesAt(item, rest)) : [];
}

function keyOf(resource: string, namespace: string | undefined, name: string): string {
  return `${resource}/${namespace ?? ''}/${name}`;
}

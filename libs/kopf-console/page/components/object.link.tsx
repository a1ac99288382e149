import type { ObjectIdentity } from '../api/api.types.js';
import { hrefOf } from '../routing/location.js';

/** Forms the address of an object's screen. */
export function hrefOfObject({ resource, namespace, name }: Pick<ObjectIdentity, 'resource' | 'namespace' | 'name'>) {
  return hrefOf(['objects', resource, namespace ?? '-', name]);
}

/** Links the name of an object to its screen. */
export function ObjectLink({
  object,
  kind = true,
  row = false,
}: {
  readonly object: ObjectIdentity;
  /** Whether the kind is before the name. @default true */
  readonly kind?: boolean;
  /** Whether the keys j and k select this link. @default false */
  readonly row?: boolean;
}) {
  return (
    <a class="object-link" href={hrefOfObject(object)} data-row={row ? '' : undefined}>
      <NameParts object={object} kind={kind} />
    </a>
  );
}

/** Shows the name of an object that has no screen. */
export function ObjectName({ object }: { readonly object: ObjectIdentity }) {
  return (
    <span class="object-plain">
      <NameParts object={object} kind />
    </span>
  );
}

function NameParts({ object, kind }: { readonly object: ObjectIdentity; readonly kind: boolean }) {
  return (
    <>
      {kind && <span class="object-kind">{object.kind} </span>}
      {object.namespace && <span class="object-namespace">{object.namespace}/</span>}
      <span class="object-name">{object.name}</span>
    </>
  );
}

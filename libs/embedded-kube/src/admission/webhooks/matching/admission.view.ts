import type { AuthorizationAttributes } from '../../../machinery/authorizer.js';
import { stringifyJson } from 'kube-common';
import { orderMetadata } from '../../../machinery/metadata.decoder.js';
import type { AdmissionAttributes, GroupVersionKind } from '../../../machinery/write.admission.js';
import type { Draft, KubeObject } from '../../../resources/kube-object.js';
import type { ServedResource } from '../../../resources/served.resource.js';
import type { CelValue } from '../../../cel/values/cel.value.js';
import { fromJson } from '../../../cel/values/json.value.js';

/** The objects of a write in one version, each made once and only on demand. */
export class AdmissionView {
  private currentObject: KubeObject | undefined;
  private previousObject: KubeObject | undefined;
  private objectText: string | undefined;
  private previousText: string | undefined;
  private objectValue: CelValue | undefined;
  private previousValue: CelValue | undefined;

  /** @param served the resource in the version of the view */
  constructor(
    readonly attributes: AdmissionAttributes,
    readonly served: ServedResource,
  ) {}

  get kind(): GroupVersionKind {
    return this.attributes.kind ?? this.served.resource;
  }

  get object(): KubeObject | undefined {
    const { object } = this.attributes;
    return (this.currentObject ??= object && this.convert(this.encode(object)));
  }

  get previous(): KubeObject | undefined {
    const { previous } = this.attributes;
    return (this.previousObject ??= previous && this.convert(previous));
  }

  /** The object as JSON; `null` if there is none. */
  get objectJson(): string {
    return (this.objectText ??= stringifyJson(this.object ?? null));
  }

  get previousJson(): string {
    return (this.previousText ??= stringifyJson(this.previous ?? null));
  }

  /** The object as expressions see it. */
  get celObject(): CelValue {
    return (this.objectValue ??= fromJson(this.object ?? null));
  }

  get celPrevious(): CelValue {
    return (this.previousValue ??= fromJson(this.previous ?? null));
  }

  /** Forgets the previous forms of the object. */
  invalidate(): void {
    this.currentObject = undefined;
    this.objectText = undefined;
    this.objectValue = undefined;
  }

  /** Returns the object as the server would write it. */
  private encode(draft: Draft): KubeObject {
    const { served, kind } = this.attributes;
    if (kind) return draft as KubeObject;
    const metadata = orderMetadata(draft.metadata, served.custom);
    if (draft.metadata.resourceVersion === undefined) delete metadata.resourceVersion;
    return served.strategy.encode({ ...draft, metadata }) as KubeObject;
  }

  private convert(object: KubeObject): KubeObject {
    const { served, kind } = this.attributes;
    return served === this.served || kind ? object : this.served.fromStorage(served.toStorage(object));
  }
}

/** The objects of a write in all versions that are asked for. */
export class AdmissionViews {
  private readonly views = new Map<ServedResource, AdmissionView>();

  constructor(readonly attributes: AdmissionAttributes) {}

  in(served: ServedResource): AdmissionView {
    let view = this.views.get(served);
    if (!view) this.views.set(served, (view = new AdmissionView(this.attributes, served)));
    return view;
  }

  /** Forgets the previous forms of the object. */
  invalidate(): void {
    for (const view of this.views.values()) view.invalidate();
  }
}

/** Returns the access that a write needs, but for its verb: what `authorizer.requestResource` asks about. */
export function requestedAccess({ attributes, served }: AdmissionView): Omit<AuthorizationAttributes, 'verb'> {
  const { user, namespace, name, subresource } = attributes;
  const { group, plural } = served.resource;
  return { user, group, resource: subresource ? `${plural}/${subresource}` : plural, namespace, name };
}

/** Returns the part of a review that describes the request without its objects and its uid. */
export function requestHead({ attributes, served, kind }: AdmissionView): object {
  const { subresource, name, namespace, operation, user, dryRun } = attributes;
  return {
    kind: kindOf(kind),
    resource: resourceOf(served),
    ...(subresource && { subResource: subresource }),
    requestKind: kindOf(attributes.kind ?? attributes.served.resource),
    requestResource: resourceOf(attributes.served),
    ...(subresource && { requestSubResource: subresource }),
    ...(name && { name }),
    ...(namespace && { namespace }),
    operation,
    userInfo: {
      username: user.name,
      ...(user.uid && { uid: user.uid }),
      groups: user.groups,
      ...(user.extra && { extra: user.extra }),
    },
    dryRun,
  };
}

function kindOf({ group, version, kind }: GroupVersionKind): object {
  return { group, version, kind };
}

function resourceOf({ resource: { group, version, plural } }: ServedResource): object {
  return { group, version, resource: plural };
}

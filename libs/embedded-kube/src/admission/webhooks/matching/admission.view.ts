import type { KubeObject, Draft } from '../../../resources/kube-object.js';
import { orderMetadata } from '../../../machinery/metadata.decoder.js';
import type { ServedResource } from '../../../resources/served.resource.js';
import { stringifyJson } from '../../../common/exact-json.js';
import type { AdmissionAttributes, GroupVersionKind } from '../../../machinery/write.admission.js';
import { toCelValue } from '../conditions/cel.value.js';

/** The objects of a write in one version, each made once and only when somebody wants it. */
export class AdmissionView {
  private currentObject: KubeObject | undefined;
  private previousObject: KubeObject | undefined;
  private objectText: string | undefined;
  private previousText: string | undefined;
  private objectValue: unknown;
  private previousValue: unknown;

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
  get celObject(): unknown {
    return (this.objectValue ??= toCelValue(this.object ?? null));
  }

  get celPrevious(): unknown {
    return (this.previousValue ??= toCelValue(this.previous ?? null));
  }

  /** Forgets what the object was. */
  invalidate(): void {
    this.currentObject = undefined;
    this.objectText = undefined;
    this.objectValue = undefined;
  }

  /** The object as the server would write it. */
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

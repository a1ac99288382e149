import type { ServedResource } from '../../../resources/served.resource.js';
import type { AdmissionAttributes } from '../../../machinery/write.admission.js';
import { AdmissionView } from './admission.view.js';

/** The objects of a write in all versions that are asked for. */
export class AdmissionViews {
  private readonly views = new Map<ServedResource, AdmissionView>();

  constructor(readonly attributes: AdmissionAttributes) {}

  in(served: ServedResource): AdmissionView {
    let view = this.views.get(served);
    if (!view) this.views.set(served, (view = new AdmissionView(this.attributes, served)));
    return view;
  }

  /** Forgets what the object was. */
  invalidate(): void {
    for (const view of this.views.values()) view.invalidate();
  }
}

import type { AdmissionAttributes } from '../machinery/write.admission.js';
import type { Reinvocation } from './reinvocation.js';

/** Changes or refuses writes after they are decoded and before they are validated. Refuses by throwing a `StatusError`. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Called first, plugin after plugin; may change the object, and ask for a second round. */
  admit?(attributes: AdmissionAttributes, reinvocation: Reinvocation): void | Promise<void>;
  /** Called once the object is final and valid. */
  validate?(attributes: AdmissionAttributes): void | Promise<void>;
}

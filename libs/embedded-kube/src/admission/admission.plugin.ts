import type { AdmissionAttributes } from '../machinery/write.admission.js';

/** The second round of mutating plugins in one write, and what plugins that ran in the first one remember for it. */
export class Reinvocation {
  private asked = false;
  private second = false;

  /** Whether the plugins are called for the second time. */
  get isSecondRound(): boolean {
    return this.second;
  }

  /** Whether a plugin wants all plugins to see its changes. */
  get isRequested(): boolean {
    return this.asked;
  }

  /** Asks for a second round; there is never a third. */
  request(): void {
    this.asked = true;
  }

  beginSecondRound(): void {
    this.second = true;
  }
}

/** A plugin that changes or rejects writes after they are decoded and before they are validated. It rejects by throwing a `StatusError`. */
export interface AdmissionPlugin {
  readonly name: string;
  /** Called first, plugin after plugin; may change the object, and ask for a second round. */
  admit?(attributes: AdmissionAttributes, reinvocation: Reinvocation): void | Promise<void>;
  /** Called once the object is final and valid. */
  validate?(attributes: AdmissionAttributes): void | Promise<void>;
}

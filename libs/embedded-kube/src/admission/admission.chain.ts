// admission: plugins that change or reject writes between decoding and storing, webhooks among them.
// Implements the machinery's WriteAdmission, so that the machinery need not know it.
// May import: everything up to kinds.

import type { AdmissionAttributes, WriteAdmission } from '../machinery/write.admission.js';
import { type AdmissionPlugin, Reinvocation } from './admission.plugin.js';
import { after, type Eventual } from '../common/eventual.js';

/** The admission of writes by all plugins, in their order; at once, if none of them takes time. */
export class AdmissionChain implements WriteAdmission {
  constructor(private readonly plugins: readonly AdmissionPlugin[]) {}

  /** Lets the plugins change the object; all of them a second time, if one of them asks for that. */
  admit(attributes: AdmissionAttributes): Eventual<void> {
    const reinvocation = new Reinvocation();
    const round = (): Eventual<void> => this.ask((plugin) => plugin.admit?.(attributes, reinvocation));
    return after(round(), () => {
      if (!reinvocation.isRequested) return;
      reinvocation.beginSecondRound();
      return round();
    });
  }

  validate(attributes: AdmissionAttributes): Eventual<void> {
    return this.ask((plugin) => plugin.validate?.(attributes));
  }

  private ask(question: (plugin: AdmissionPlugin) => Eventual<void>, from = 0): Eventual<void> {
    for (let index = from; index < this.plugins.length; index += 1) {
      const asked = question(this.plugins[index]!);
      if (asked instanceof Promise) return asked.then(() => this.ask(question, index + 1));
    }
  }
}

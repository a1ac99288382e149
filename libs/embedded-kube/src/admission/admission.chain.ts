import type { AdmissionAttributes, AdmissionPlugin } from './admission.plugin.js';
import { after, type Eventual } from './after.js';

/** Asks all plugins about a write, in their order; at once, if none of them takes time. */
export class AdmissionChain {
  constructor(private readonly plugins: readonly AdmissionPlugin[]) {}

  admit(attributes: AdmissionAttributes): Eventual<void> {
    return this.ask(0, (plugin) => plugin.admit?.(attributes));
  }

  validate(attributes: AdmissionAttributes): Eventual<void> {
    return this.ask(0, (plugin) => plugin.validate?.(attributes));
  }

  private ask(index: number, question: (plugin: AdmissionPlugin) => Eventual<void>): Eventual<void> {
    const plugin = this.plugins[index];
    return plugin && after(question(plugin), () => this.ask(index + 1, question));
  }
}

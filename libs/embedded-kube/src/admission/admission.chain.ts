import type { AdmissionAttributes, AdmissionPlugin } from './admission.plugin.js';

/** Asks all plugins about a write, in their order. */
export class AdmissionChain {
  constructor(private readonly plugins: readonly AdmissionPlugin[]) {}

  async admit(attributes: AdmissionAttributes): Promise<void> {
    for (const plugin of this.plugins) {
      const result = plugin.admit?.(attributes);
      if (result) await result;
    }
  }

  async validate(attributes: AdmissionAttributes): Promise<void> {
    for (const plugin of this.plugins) {
      const result = plugin.validate?.(attributes);
      if (result) await result;
    }
  }
}

/** The features of Kubernetes that can be switched here, by the names of their gates, and whether they are on by default. */
const FEATURES = { ShardedListAndWatch: false } as const;

/** The name of a feature gate of Kubernetes 1.36 that makes a difference here. */
export type FeatureGate = keyof typeof FEATURES;

/** Feature gates that are set, by their names. */
export type FeatureGateSettings = Readonly<Partial<Record<FeatureGate, boolean>>>;

/** The features that are on. */
export class FeatureGates {
  private readonly enabled: Readonly<Record<FeatureGate, boolean>>;

  /** @throws Error if there is no such gate */
  constructor(settings: FeatureGateSettings = {}) {
    for (const name of Object.keys(settings)) {
      if (Object.hasOwn(FEATURES, name)) continue;
      const known = Object.keys(FEATURES).join(', ');
      throw new Error(`The feature gate ${name} does not exist, or makes no difference here; these do: ${known}`);
    }
    this.enabled = { ...FEATURES, ...settings };
  }

  isEnabled(name: FeatureGate): boolean {
    return this.enabled[name];
  }
}

/**
 * Reads gates in the form of a command line: `ShardedListAndWatch=true`, separated by commas.
 *
 * @throws TypeError if a value is no boolean
 */
export function parseFeatureGates(text: string): FeatureGateSettings {
  const entries = text.split(',').filter(Boolean);
  return Object.fromEntries(
    entries.map((entry) => {
      const [name = '', value] = entry.split('=').map((part) => part.trim());
      if (value === 'true' || value === 'false') return [name, value === 'true'];
      throw new TypeError(`A feature gate is set by ${name}=true or ${name}=false, not by ${JSON.stringify(entry)}`);
    }),
  );
}

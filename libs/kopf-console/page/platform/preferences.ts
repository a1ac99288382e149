import { Store } from './store.js';

/** The colours of the page; `system` follows the operating system. */
export type Theme = 'system' | 'light' | 'dark';

/** Reads a choice that the viewer has made earlier in this browser. */
function read<T extends string>(name: string, choices: readonly T[]): T {
  try {
    const stored = localStorage.getItem(`kopf.${name}`);
    return choices.find((choice) => choice === stored) ?? choices[0];
  } catch {
    return choices[0];
  }
}

function createPreference<T extends string>(name: string, choices: readonly T[]): Store<T> {
  const store = new Store<T>(read(name, choices));
  store.subscribe(() => {
    try {
      localStorage.setItem(`kopf.${name}`, store.get());
    } catch {
      // Without storage, the choice lasts as long as the page.
    }
  });
  return store;
}

export const theme = createPreference<Theme>('theme', ['system', 'light', 'dark']);

/** The form of times: `relative` as “12 s ago”, `absolute` as a date and a time. */
export const times = createPreference<'relative' | 'absolute'>('times', ['relative', 'absolute']);

/** Whether single keys do something: users who dictate to the computer may want them off. */
export const shortcuts = createPreference<'on' | 'off'>('shortcuts', ['on', 'off']);

/** Applies the theme to the document now and whenever it changes. */
export function applyTheme(): void {
  const apply = () => {
    const { dataset } = document.documentElement;
    if (theme.get() === 'system') delete dataset.theme;
    else dataset.theme = theme.get();
  };
  theme.subscribe(apply);
  apply();
}

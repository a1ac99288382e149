/** Builds the page of the console. @returns the sizes of its files in bytes, by their names. */
export function buildConsolePage(folder?: string): Promise<Readonly<Record<string, number>>>;

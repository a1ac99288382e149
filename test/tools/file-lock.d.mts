export function withFileLock<T>(file: string, action: () => T | Promise<T>): Promise<T>;

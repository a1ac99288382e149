export declare const LIBRARY_FOLDERS: readonly string[];
export declare const PUBLISHED_FOLDERS: readonly string[];
export declare const PACKAGE_NAMES: readonly string[];

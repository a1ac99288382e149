export declare const LIBRARY_FOLDERS: readonly string[];
export declare const LIBRARIES: readonly { readonly folder: string; readonly manifest: { readonly name: string } }[];
export declare const PACKAGE_NAMES: readonly string[];
export declare const PUBLISHED_FOLDERS: readonly string[];

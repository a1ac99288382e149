declare module 'sql.js/dist/sql-wasm-inline.js' {
  /** Loads SQLite. TypeORM calls it. */
  const initSqlJs: (config?: object) => Promise<unknown>;
  export default initSqlJs;
}

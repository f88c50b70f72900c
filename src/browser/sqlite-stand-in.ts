/**
 * The packaged browser comes with NSS but not with the SQLite that NSS is linked to, and a machine
 * that has Node only (`node:20-slim`) has none either: the loader then refuses NSS's libsoftokn3, and
 * the browser ends at its first https page. NSS wants SQLite for one thing, a certificate database
 * in the user's home, and does without when that can't be opened; a scan has no use for one.
 *
 * So this makes a libsqlite3 in which nothing can be opened: an ELF file with the symbols that
 * libsoftokn3 asks for, and two functions of two instructions. To bring SQLite itself along would
 * be a second binary from elsewhere, to be kept up to date, for the same result.
 */

/** What libsoftokn3 asks for, without the `sqlite3_`: 12 return a status, 8 a value, 1 is a variable. */
const names =
  'bind_blob bind_int bind_text busy_timeout close exec file_control finalize open_v2 prepare_v2 reset step ' +
  'column_blob column_bytes column_count column_int column_name column_text free mprintf temp_directory';
const [firstValue, variable] = [12, 20];

/** `mov eax, 1; ret`, which is SQLITE_ERROR, and at 8 `xor eax, eax; ret`, which is 0 or NULL. */
const code = Buffer.from('b801000000c3cccc31c0c3cccccccccc', 'hex');
/** Of x86-64, whatever the kernel; access rights are given by the page. */
const pageSize = 0x1000;
const [readExecute, readWrite] = [5, 6];
/** DT_SONAME, DT_HASH, DT_STRTAB, DT_STRSZ, DT_SYMTAB, DT_SYMENT, DT_NULL. */
const dynamicTags = [14, 4, 5, 10, 6, 11, 0];

/** The name that the loader looks for. */
export const sqliteStandInName = 'libsqlite3.so.0';

/** Builds the library; the layout is the System V ABI's, https://gabi.xinuos.com/. */
export function buildSqliteStandIn(): Uint8Array<ArrayBuffer> {
  const symbols = names.split(' ').map((name) => `sqlite3_${name}`);
  const strings = ['', ...symbols, sqliteStandInName, ''].join('\0');
  const nameAt = (name: string): number => strings.indexOf(`\0${name}\0`) + 1;
  const count = symbols.length + 1;

  const headersAt = 64;
  const hashAt = headersAt + 4 * 56;
  const symbolsAt = hashAt + Math.ceil((3 + count) / 2) * 8;
  const stringsAt = symbolsAt + count * 24;
  const codeAt = Math.ceil((stringsAt + strings.length) / 16) * 16;
  const variableAt = pageSize;
  const dynamicAt = pageSize + 16;
  const dynamic = [nameAt(sqliteStandInName), hashAt, stringsAt, strings.length, symbolsAt, 24, 0];
  const size = dynamicAt + dynamic.length * 16;

  const file = Buffer.alloc(size);
  let at = 0;
  const put = (width: 1 | 2 | 4 | 8, ...values: number[]): void => {
    for (const value of values) {
      // Six bytes are the most that Buffer writes of a number, and enough here.
      file.writeUIntLE(value, at, Math.min(width, 6));
      at += width;
    }
  };
  // A shared library for x86-64 with four program headers and no sections.
  put(4, 0x464c457f, 0x00010102, 0, 0, 0x003e0003, 1);
  put(8, 0, headersAt, 0);
  put(2, 0, 0, 64, 56, 4, 64, 0, 0);

  const segment = (type: number, flags: number, from: number, to: number, align: number): void => {
    put(4, type, flags);
    put(8, from, from, from, to - from, to - from, align);
  };
  segment(1, readExecute, 0, codeAt + code.length, pageSize);
  segment(1, readWrite, variableAt, size, pageSize);
  segment(2, readWrite, dynamicAt, size, 8);
  // Where this header is missing, the loader makes the stacks of the process executable.
  segment(0x6474e551, readWrite, 0, 0, 16);

  // One bucket, in which each symbol leads to the next: so few aren't worth hashing.
  put(4, 1, count, 1, 0, ...symbols.map((_, index) => (index + 2) % count));
  at = symbolsAt + 24;
  for (const [index, name] of symbols.entries()) {
    put(4, nameAt(name));
    // A global function or object, defined here.
    put(2, index < variable ? 0x12 : 0x11, 1);
    put(8, index < firstValue ? codeAt : index < variable ? codeAt + 8 : variableAt, 8);
  }
  file.write(strings, stringsAt, 'latin1');
  code.copy(file, codeAt);

  at = dynamicAt;
  for (const [index, value] of dynamic.entries()) put(8, dynamicTags[index] ?? 0, value);
  return file;
}

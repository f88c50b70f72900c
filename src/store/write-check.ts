import type { Database } from 'bun:sqlite';

/** "curb": what programs such as `file` may know a database of this service by. */
const applicationId = 0x63_75_72_62;
/** However often it is asked for, the disk sees little of it. */
const keptMs = 2_000;

/**
 * Tells why nothing can be written just now, as a sentence, or null. It writes the least that goes
 * all the way to the disk, a field of the file's header: a transaction that is rolled back leaves a
 * full disk unnoticed.
 */
export function createWriteCheck(sqlite: Database): () => string | null {
  let checkedAt = -Infinity;
  let problem: string | null = null;
  return () => {
    if (performance.now() - checkedAt < keptMs) return problem;
    problem = findProblem(sqlite);
    checkedAt = performance.now();
    return problem;
  };
}

function findProblem(sqlite: Database): string | null {
  try {
    sqlite.run(`PRAGMA application_id = ${applicationId}`);
    return null;
  } catch (error) {
    return `The database could not be written: ${error instanceof Error ? error.message : String(error)}.`;
  }
}

import type { DomainErrorCode } from '../errors.ts';

const waitAsTold = 'Try again after as many seconds as Retry-After says.';

/** What to do about each kind of problem: the text behind its `type`. */
export const problemAdvice: Readonly<Record<DomainErrorCode, string>> = {
  'invalid-url':
    'Send the http or https address of one public page; in a query, percent-encoded. The detail says what is wrong with the one you sent.',
  'invalid-body': 'Send a JSON object such as {"url": "https://example.com/"}.',
  'recursive-scan':
    'Nothing is wrong with the request but where it comes from. Programs should not use the User-Agent of the scanner.',
  'not-found': 'Compare the path and the method with the API reference.',
  'scan-not-found':
    'Check the id. Scans are deleted some time after their end: start a new one then.',
  'quota-exceeded': `${waitAsTold} The fields RateLimit and RateLimit-Policy tell what is left on every answer. Your own copy of this service can run without limits.`,
  'dns-not-found': 'Check the spelling of the host name, and its DNS records.',
  'connection-refused': 'Check that the site is up and that the port in the URL is right.',
  'connection-reset':
    'Try again. If it happens each time, look for a firewall in front of the site, and into its log.',
  'connection-timed-out':
    'Check that the site is up and that no firewall drops the connection. Try again when the site is less busy.',
  'address-unreachable':
    'Check that the address, and every address the page redirects to, is public: private and local networks are not scanned.',
  'tls-failed': 'Check the certificate of the site: its dates, its host names and its chain.',
  'too-many-redirects':
    'Check the redirects of the page. Those that depend on a cookie often lead in a circle.',
  'too-many-page-requests': 'Look for a script on the page that loads something over and over.',
  'too-many-connections': 'Look for a script on the page that opens sockets and never closes them.',
  'page-too-large': 'Look for a download, a video or a stream on the page that starts by itself.',
  'navigation-failed': 'Open the page in a browser: the detail has what the browser said of it.',
  'error-status':
    'Check the address. The page must answer with a success to a visitor who is not logged in.',
  'scanner-blocked':
    'Allow the User-Agent of this scanner in the service that protects the site, or scan the page where that check is off.',
  'not-html':
    'Scan an HTML page. Images, PDF files, feeds and data have no elements that axe-core could check.',
  'page-unresponsive':
    'Look for a script on the page that does not end, or for so much markup that a browser takes long to show it.',
  'dom-clobbered':
    'Give the field that the detail names another name or id. Scripts of the page stumble over it too.',
  'page-unstable': 'Scan the page at which the address ends up.',
  'page-crashed': 'Look for what takes so much memory on the page, and try again.',
  'scan-timed-out':
    'Try again. If it happens each time, the page is too large or too slow to be scanned in one piece.',
  'scan-interrupted':
    'Start the scan again. If it is interrupted again, tell the operator of this service: the page may be what ends it.',
  'scan-cancelled':
    'Start the scan again, and keep the connection open until the answer comes, or ask for an answer at once and poll.',
  'browser-failed': 'Try again: a new browser is started for it.',
  'scan-failed':
    'Try again. If it fails each time, please report the page to the operator of this service.',
  'internal-error': 'Try again later. The fault has been logged.',
  'queue-full': waitAsTold,
  'too-many-waiting': `${waitAsTold} Ask for fewer scans at a time: what clients have waiting takes turns, so more of them would not be done sooner.`,
  'shutting-down': waitAsTold,
  'not-ready':
    'Look into the log of the service, and at its disk. It recovers by itself when the cause is gone.',
  'storage-unavailable': `${waitAsTold} Scans that were accepted are not lost. The operator of this service finds the reason in its log.`,
};

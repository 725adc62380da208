/** Secrets of known forms. They are built from LETTERS, so that scanners for leaked secrets ignore this file. */
const LETTERS = "A1b2C3d4E5f6G7h8J9k0L1m2N3p4Q5r6S7t8U9v0W1x2Y3z4a5B6c7D8e9F0g1H2";

/** A text with a secret. Everything but the secret must stay as it is. */
export interface PlantedSecret {
  readonly text: string;
  readonly secret: string;
}

/** The planted secrets by their form. */
export const PLANTED_SECRETS: { readonly [form: string]: PlantedSecret } = {
  "aws access key": createSecret(`AKIA${LETTERS.toUpperCase().slice(0, 16)}`),
  "aws secret in a setting": createSecret(LETTERS.slice(0, 40), "AWS_SECRET_ACCESS_KEY="),
  "github token": createSecret(`ghp_${LETTERS.slice(0, 36)}`),
  "gitlab token": createSecret(`glpat-${LETTERS.slice(0, 20)}`),
  "slack token": createSecret(`xoxb-${LETTERS.slice(0, 24)}`),
  "stripe key": createSecret(`sk_live_${LETTERS.slice(0, 24)}`),
  "model provider key": createSecret(`sk-ant-${LETTERS.slice(0, 40)}`),
  "google key": createSecret(`AIza${LETTERS.slice(0, 35)}`),
  "npm token": createSecret(`npm_${LETTERS.slice(0, 36)}`),
  "json web token": createSecret(
    `eyJ${LETTERS.slice(0, 12)}.eyJ${LETTERS.slice(12, 30)}.${LETTERS.slice(30, 50)}`,
  ),
  "bearer header": createSecret(LETTERS.slice(0, 30), "Authorization: Bearer "),
  "password of a url": createSecret("hunter2hunter2", "postgres://app:", "@db.example.com/x"),
  "password in a setting": createSecret(LETTERS.slice(0, 12), "DB_PASSWORD='", "'"),
  "private key": createSecret(
    `\n${LETTERS}\n`,
    "-----BEGIN RSA PRIVATE KEY-----",
    "-----END RSA PRIVATE KEY-----",
  ),
  "option of a command": createSecret(LETTERS.slice(0, 14), "mysql --password "),
  "password of a url, short": createSecret("pw", "git clone https://me:", "@example.com/x.git"),
  "curl with a user": createSecret("pw", "curl -u me:", " https://example.com"),
  "curl with quotation marks": createSecret("hunter2", "/usr/bin/curl -sSu'me:", "' https://example.com"),
  "curl with a long option": createSecret("hunter2", 'curl -X POST "a?b=1&c=2" \\\n --user "me:', '"'),
  "curl with a joined value": createSecret("hunter2", "curl https://example.com:8080/ -ume:"),
  "curl with a proxy": createSecret("hunter2", "curl.exe --proxy-user me:"),
  "curl with a token as user": createSecret(LETTERS.slice(0, 30), "curl -u :"),
  "cookie header": createSecret(LETTERS.slice(0, 20), "Cookie: theme=dark; sid=", "; lang=en"),
  "cookie header in an option": createSecret(LETTERS.slice(0, 20), "curl -H 'cookie: sid=", "' -v"),
  "cookie that is set": createSecret(
    LETTERS.slice(0, 20),
    "Set-Cookie: sid=",
    "; Path=/account; Domain=example.com; Max-Age=31536000; HttpOnly",
  ),
  "cookie header in json": createSecret(LETTERS.slice(0, 20), '{\\"Cookie\\":\\"sid=', '\\"}'),
  "json in a text": createSecret(LETTERS.slice(0, 18), '{"api_key":"', '"}'),
  "json in json in a text": createSecret(LETTERS.slice(0, 18), '{\\"api_key\\":\\"', '\\"}'),
};

function createSecret(secret: string, before = "", after = ""): PlantedSecret {
  return { text: before + secret + after, secret };
}

/** Texts that resemble secrets and are none. */
export const LOOK_ALIKES: readonly string[] = [
  "input_tokens=12345678",
  "the token: see the manual",
  "max_tokens: 4096000",
  "https://example.com:8080/path@v2",
  "skip-this-long-option-name-please",
  "task-this-long-option-name-please-2026-01-01",
  "API_KEY=$API_KEY",
  'api_key = os.environ["API_KEY"]',
  "const token = await readToken(request)",
  "password=process.env.PASSWORD",
  "password: <your password>",
  "password: ************",
  "DB_PASSWORD=[redacted]",
  "error: invalid token: expired",
  "the secret: nobody knows it",
  "--token is required",
  "token: string",
  "AKIA is a prefix",
  "Basic English grammar",
  "evt_01KQPNTYZ078KC0JSFASW9A2XZ",
  "run_01JXMZH8Q2V5N7R9T3W6Y8ZA9G",
  "sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
  "commit 8daffec4f2c5a0e1b7d3c9a8e6f4b2d1c0a9e8f7",
  "d26d4b5a-c542-4767-83f7-fbb2c1465919",
  `data:image/png;base64,iVBORw0KGgo${"AKIAeyJhbGciOiJIUzI1NiJ9skliveAIzaSyghp".repeat(40)}=`,
  "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUQ\n-----END CERTIFICATE-----",
  "-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----",
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0 me@example.com",
  "integrity sha512-v2kDEe57lecTulaDIuNTPy3Ry4gLGJ6Z1O3vE1krgXZNrsQ+LFTGHVxVjcXPs17LhbZVGedAJv8XZ1tvj5FvSg==",
  "npm_config_registry",
  "sk_buff and skb_put",
  "git push -u origin main",
  "git push -u origin HEAD:main",
  "sudo -u root:wheel ls",
  "docker run -u node:node image",
  "curl -u $USER:$PASSWORD https://example.com",
  "curl -u me https://example.com:8443/path",
  "curl -u 1000:1000 https://example.com",
  "curl --user-agent=agent:1.0 https://example.com",
  "curl -XPUT http://localhost:9200/index",
  "curl https://example.com | sort -u -t : -k 2:3",
  "curl https://example.com && docker run -u node:node image",
  "curl -u https://example.com:80/",
  "rsync -u host:path .",
  "starts at 12:30:00, port 8080:80",
  "Cookie: policy",
  "Cookie: theme=dark; lang=en",
  "Cookie: sid=<session id>",
  "cookie: sid=$SESSION_ID",
  "Set-Cookie: theme=dark; Path=/a/long/path; Domain=www.example.com; Max-Age=31536000; SameSite=Strict",
  "the cookie policy: see https://example.com/cookies?id=12345678",
  "ssh://git@example.com:22/x.git",
  "git+https://github.com/owner/name.git#v1.2.3",
];

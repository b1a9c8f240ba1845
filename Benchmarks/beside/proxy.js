// A checkout's own proxy as one would write it in Node.js: https.Agent, kept alive, and nothing else.
// node proxy.js PORT GATEWAY-PORT KEY CERTIFICATE CA PATH
'use strict';
const fs = require('fs');
const http = require('http');
const https = require('https');
const [port, gateway, key, cert, ca, path] = process.argv.slice(2);

const agent = new https.Agent({
    keepAlive: true,
    maxSockets: 256,
    key: fs.readFileSync(key),
    cert: fs.readFileSync(cert),
    ca: fs.readFileSync(ca),
});

function fail(response) {
    if (!response.headersSent) response.writeHead(502);
    response.end();
}

http.createServer((request, response) => {
    const onward = https.request({
        agent, host: 'localhost', port: gateway, method: request.method, path,
        headers: {
            'Content-Type': request.headers['content-type'],
            'Content-Length': request.headers['content-length'],
        },
    }, (answer) => {
        response.writeHead(answer.statusCode, {
            'Content-Type': answer.headers['content-type'],
            'Content-Length': answer.headers['content-length'],
        });
        answer.pipe(response);
    });
    onward.on('error', () => fail(response));
    request.pipe(onward);
}).listen(Number(port), '127.0.0.1');
